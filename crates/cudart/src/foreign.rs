//! The pointers of a C caller. This is the only file that trusts them: a null pointer is an error, and whatever else
//! a program passes is, as in C, its own responsibility.

use std::ffi::{CStr, c_char};

use crate::error::CudaError;
use crate::failure::Failure;

/// Where a result goes.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Out<T>(*mut T);

/// Where an argument lies.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct In<T>(*const T);

impl<T> Out<T> {
    /// Writes the result; a null pointer is refused.
    pub fn set(self, value: T) -> Result<(), Failure> {
        if self.0.is_null() {
            return Err(CudaError::InvalidValue.into());
        }
        self.set_if_wanted(value);
        Ok(())
    }

    /// Writes the result where the caller wants it.
    pub fn set_if_wanted(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: the caller of a C function gives a pointer to a `T`, aligned or in a packed structure.
            unsafe { self.0.write_unaligned(value) };
        }
    }

    /// Where it goes, as a number.
    pub fn address(self) -> u64 {
        self.0 as u64
    }
}

impl<T: Copy> In<T> {
    /// Reads the argument; a null pointer is refused.
    pub fn get(self) -> Result<T, Failure> {
        self.get_at(0)
    }

    /// Reads an element of an array; a null pointer is refused.
    pub fn get_at(self, index: usize) -> Result<T, Failure> {
        if self.0.is_null() {
            return Err(CudaError::InvalidValue.into());
        }
        // SAFETY: the caller of a C function gives a pointer to as many `T` as the function reads.
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }

    /// Where it lies, as a number.
    pub fn address(self) -> u64 {
        self.0 as u64
    }
}

impl<T> From<&mut T> for Out<T> {
    fn from(place: &mut T) -> Self {
        Self(place)
    }
}

impl<T> From<&T> for In<T> {
    fn from(place: &T) -> Self {
        Self(place)
    }
}

/// Bytes of the host for reading.
pub fn host_bytes<'a>(address: u64, bytes: u64) -> Result<&'a [u8], Failure> {
    if bytes == 0 {
        return Ok(&[]);
    }
    if address == 0 {
        return Err(CudaError::InvalidValue.into());
    }
    // SAFETY: the program gives address and length of its own memory; it does not write it meanwhile.
    Ok(unsafe { std::slice::from_raw_parts(address as *const u8, bytes as usize) })
}

/// Bytes of the host for writing.
pub fn host_bytes_mut<'a>(address: u64, bytes: u64) -> Result<&'a mut [u8], Failure> {
    if bytes == 0 {
        return Ok(&mut []);
    }
    if address == 0 {
        return Err(CudaError::InvalidValue.into());
    }
    // SAFETY: the program gives address and length of its own memory; it does not use it meanwhile.
    Ok(unsafe { std::slice::from_raw_parts_mut(address as *mut u8, bytes as usize) })
}

/// Bytes that move inside the host's memory; source and target may overlap.
pub fn move_host_bytes(to: u64, from: u64, bytes: u64) -> Result<(), Failure> {
    if bytes > 0 && (to == 0 || from == 0) {
        return Err(CudaError::InvalidValue.into());
    }
    // SAFETY: the program gives both addresses and the length of its own memory.
    unsafe { std::ptr::copy(from as *const u8, to as *mut u8, bytes as usize) };
    Ok(())
}

impl<T> Out<T> {
    /// A result that goes to an address.
    pub fn at(address: u64) -> Self {
        Self(address as *mut T)
    }
}

impl<T> In<T> {
    /// An argument at an address.
    pub fn at(address: u64) -> Self {
        Self(address as *const T)
    }
}

/// The address of a function that this process has, by its name.
pub fn own_function(name: &str) -> Option<u64> {
    let name = std::ffi::CString::new(name).ok()?;
    // SAFETY: the name ends with a NUL; the loader only looks it up.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found as u64)
}

/// A C string.
pub fn text(pointer: In<c_char>) -> Result<String, Failure> {
    if pointer.0.is_null() {
        return Err(CudaError::InvalidValue.into());
    }
    // SAFETY: the caller of a C function gives a string that ends with a NUL.
    Ok(unsafe { CStr::from_ptr(pointer.0) }.to_string_lossy().into_owned())
}
