//! The linker of the driver API: PTX in, PTX out. Parts that stand one after the other are linked when they are loaded, so
//! linking collects them.

use std::ffi::{c_char, c_int, c_uint};

use super::driver::read_image;
use crate::error::CudaError;
use crate::failure::Failure;
use crate::foreign::{In, Out, text};
use crate::runtime::Runtime;

api! {
    "A new linker."
    fn [cuLinkCreate, cuLinkCreate_v2](runtime, _count: c_uint, _options: u64, _values: u64, linker: Out<u64>) {
        linker.set(runtime.context()?.linkers.add(Vec::new()))
    }

    "Adds PTX or a fat binary from memory."
    fn [cuLinkAddData, cuLinkAddData_v2](runtime, linker: u64, _kind: c_int, data: u64, _bytes: usize) {
        add(runtime, linker, data)
    }

    "Adds a file of PTX or a fat binary."
    fn [cuLinkAddFile, cuLinkAddFile_v2](runtime, linker: u64, _kind: c_int, path: In<c_char>) {
        let path = text(path)?;
        let mut bytes = std::fs::read(&path)
            .map_err(|error| Failure::new(CudaError::FileNotFound, format!("{path}: {error}")))?;
        bytes.push(0);
        add(runtime, linker, bytes.as_ptr() as u64)
    }

    "The linked module, valid until the linker ends."
    fn [cuLinkComplete](runtime, linker: u64, image: Out<u64>, bytes: Out<usize>) {
        let linked = runtime.context()?.linkers.get_mut(linker)?;
        if linked.last() != Some(&0) {
            linked.push(0);
        }
        bytes.set_if_wanted(linked.len());
        image.set(linked.as_ptr() as u64)
    }

    "Ends a linker."
    fn [cuLinkDestroy](runtime, linker: u64) {
        runtime.context()?.linkers.remove(linker).map(drop)
    }
}

fn add(runtime: &mut Runtime, linker: u64, image: u64) -> Result<(), Failure> {
    let part = read_image(image)?;
    let linked = runtime.context()?.linkers.get_mut(linker)?;
    linked.extend_from_slice(part.text.as_bytes());
    linked.push(b'\n');
    Ok(())
}
