//! Do kernels that launch kernels run, in the order that is promised? In a process of its own: its settings are its own.

mod common;

use std::ffi::c_void;

use common::{APPEND, PARENT, launch, register_children};
use shrinkwarp_cudart::api::copies::cudaMemcpy;
use shrinkwarp_cudart::api::devices::cudaDeviceSynchronize;
use shrinkwarp_cudart::api::memory::cudaMalloc;
use shrinkwarp_cudart::foreign::Out;

const TO_HOST: i32 = 2;

#[test]
fn children_run_after_their_parent_in_its_order_and_tail_launches_last() {
    register_children();
    let mut list = 0;
    assert_eq!(cudaMalloc(Out::from(&mut list), 32), 0);
    let argument: *const c_void = (&raw const list).cast();
    let value = 1_u32;
    assert_eq!(launch(APPEND, 1, 1, &[argument, (&raw const value).cast()]), 0);
    // The parent appends 2 when both children and the tail launch are queued; its first child launches a child in turn.
    assert_eq!(launch(PARENT, 1, 1, &[argument]), 0);
    assert_eq!(cudaDeviceSynchronize(), 0);
    let mut got = [0_u32; 8];
    assert_eq!(cudaMemcpy(got.as_mut_ptr() as u64, list, 32, TO_HOST), 0);
    assert_eq!(got, [6, 1, 2, 10, 11, 20, 99, 0]);
}
