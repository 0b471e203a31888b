//! Our own extension, declared in `shrinkwarp.h`: device memory that may be approximated.

use std::ffi::{c_char, c_uint};

use shrinkwarp_codec::transform::FloatFormat;

use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::{In, Out, text};

api! {
    "Device memory for floats whose low bits loads see as zero."
    fn [shrinkwarpMallocApproximable](runtime, address: Out<u64>, bytes: usize, format: In<c_char>, bits: c_uint) {
        let name = text(format)?;
        let element = FloatFormat::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
            let known: Vec<_> = FloatFormat::ALL.iter().map(|format| format.name()).collect();
            Failure::new(CudaError::InvalidValue, format!("unknown format {name:?} (known: {})", known.join(", ")))
        })?;
        let device = runtime.context()?.machine.device();
        address.set(device.alloc_approximable(bytes as u64, element, bits)?)
    }
}
