//! Slices from a caller's pointers and lengths.

use std::slice;

use crate::failure::{guarded, Failure};

/// What `pointer` points to; empty for no elements, whatever the pointer.
///
/// # Safety
/// If `pointer` is not null, `count` elements can be read there, and no thread writes them during the call.
pub(crate) unsafe fn slice<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T], Failure> {
    check(pointer, count)?;
    if count == 0 {
        return Ok(&[]);
    }
    // SAFETY: the pointer is aligned and not null, the length is in range, and the caller promises the rest.
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// The same for elements that are written.
///
/// # Safety
/// If `pointer` is not null, `count` initialised elements can be read and written there, and no other thread touches
/// them during the call.
pub(crate) unsafe fn slice_mut<'a, T>(pointer: *mut T, count: usize) -> Result<&'a mut [T], Failure> {
    check(pointer, count)?;
    if count == 0 {
        return Ok(&mut []);
    }
    // SAFETY: the pointer is aligned and not null, the length is in range, and the caller promises the rest.
    Ok(unsafe { slice::from_raw_parts_mut(pointer, count) })
}

/// Frees what this library gave away; null is ignored, and a panic in its destructor does not cross the border.
///
/// # Safety
/// `pointer` is null, or came from `Box::into_raw` and was not freed before.
pub(crate) unsafe fn free<T>(pointer: *mut T) {
    if pointer.is_null() {
        return;
    }
    // SAFETY: the caller's promise.
    let owned = unsafe { Box::from_raw(pointer) };
    let _ = guarded(|| {
        drop(owned);
        Ok(())
    });
}

fn check<T>(pointer: *const T, count: usize) -> Result<(), Failure> {
    if count == 0 {
        return Ok(());
    }
    if pointer.is_null() {
        return Err(Failure::argument("a pointer is null, but its length is not 0"));
    }
    if !pointer.is_aligned() {
        return Err(Failure::argument("a pointer is not aligned to its elements"));
    }
    match count.checked_mul(size_of::<T>()) {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(()),
        _ => Err(Failure::argument("a length is larger than the address space")),
    }
}

/// A single value that is written.
///
/// # Safety
/// As for [`slice_mut`] with one element.
pub(crate) unsafe fn target<'a, T>(pointer: *mut T) -> Result<&'a mut T, Failure> {
    // SAFETY: the caller's promise is the same.
    match unsafe { slice_mut(pointer, 1) }? {
        [value] => Ok(value),
        _ => Err(Failure::argument("a pointer is null")),
    }
}
