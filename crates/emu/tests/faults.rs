//! Does a kernel's mistake stop it with everything a person needs to find it?

use shrinkwarp_emu::device::Device;
use shrinkwarp_emu::functional::Functional;
use shrinkwarp_emu::launch::Launch;
use shrinkwarp_emu::memory::Stray;

const STORE: &str = "\
.version 7.0
.target sm_70
.address_size 64
.visible .entry store(.param .u64 out)
{
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1+4], 1;
    ret;
}
";

#[test]
fn a_use_after_free_names_the_allocation_that_was() {
    let mut device = Functional::new();
    let address = device.alloc(16).unwrap();
    device.free(address).unwrap();
    let module = device.load_module(STORE).unwrap();
    let launch = Launch::new([1, 1, 1], [1, 1, 1], address.to_le_bytes().to_vec());
    let fault = device.launch(&module.kernels["store"], &launch).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "kernel store, PTX line 8, thread block (0,0,0), thread (0,0,0): use after free: write of 4 bytes at global \
         address 0xc0000004; nearest: allocation #0 (freed) [0xc0000000, 0xc0000010) of 16 bytes, at offset 4"
    );
}

#[test]
fn a_stray_write_that_is_allowed_changes_nothing_and_is_counted() {
    let mut device = Functional::new();
    device.memory_mut().allow_stray_writes(Stray::Anywhere);
    let (beside, buffer) = (device.alloc(16).unwrap(), device.alloc(16).unwrap());
    device.free(beside).unwrap();
    let module = device.load_module(STORE).unwrap();
    let launch = Launch::new([1, 1, 1], [1, 1, 1], beside.to_le_bytes().to_vec());
    device.launch(&module.kernels["store"], &launch).unwrap();
    assert_eq!(device.memory().stray_writes(), 1);
    let mut bytes = [1; 16];
    device.copy_out(buffer, &mut bytes).unwrap();
    assert_eq!(bytes, [0; 16]);
}

/// Whether the write of `STORE` to 4 bytes behind `address` is allowed.
fn may_write(device: &mut Functional, address: u64) -> bool {
    let launch = Launch::new([1, 1, 1], [1, 1, 1], address.to_le_bytes().to_vec());
    device.load_module(STORE).is_ok_and(|module| device.launch(&module.kernels["store"], &launch).is_ok())
}

#[test]
fn a_page_that_an_allocation_reaches_into_may_be_written_anywhere_but_where_memory_was_freed() {
    const PAGE_BYTES: u64 = 2 << 20;
    let mut device = Functional::new();
    device.memory_mut().allow_stray_writes(Stray::InPages);
    let (freed, kept) = (device.alloc(16).unwrap(), device.alloc(16).unwrap());
    device.free(freed).unwrap();
    assert!(may_write(&mut device, kept));
    assert!(may_write(&mut device, kept + 12), "behind the end");
    assert!(may_write(&mut device, freed + 16), "between two allocations");
    assert!(
        may_write(&mut device, kept / PAGE_BYTES * PAGE_BYTES + PAGE_BYTES - 8),
        "at the end of the page"
    );
    assert_eq!(device.memory().stray_writes(), 3);
    assert!(!may_write(&mut device, freed), "freed");
    assert!(!may_write(&mut device, kept / PAGE_BYTES * PAGE_BYTES + PAGE_BYTES - 4), "in the next page");
    assert!(!may_write(&mut device, 0), "null");
    device.free(kept).unwrap();
    assert!(!may_write(&mut device, kept + 12), "no live allocation is left in the page");
}

#[test]
fn a_launch_that_does_not_fit_is_refused() {
    let mut device = Functional::new();
    let module = device.load_module(STORE).unwrap();
    let kernel = &module.kernels["store"];
    for (launch, reason) in [
        (Launch::new([1, 1, 1], [1025, 1, 1], vec![0; 8]), "1025 threads per thread block"),
        (Launch::new([0, 1, 1], [1, 1, 1], vec![0; 8]), "must not be empty"),
        (Launch::new([1, 1, 1], [1, 1, 1], vec![0; 4]), "8 are needed for store(u64 out)"),
    ] {
        let error = device.launch(kernel, &launch).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}
