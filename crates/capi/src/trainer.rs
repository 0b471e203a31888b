//! Training piece by piece, for samples that are not in memory at once.

use std::os::raw::c_char;

use shrinkwarp_codec::Trainer;

use crate::codec::{parse, ShrinkwarpCodec};
use crate::failure::{guarded, Failure, ShrinkwarpStatus};
use crate::memory::{free, slice, target};

/// A codec in training. One thread at a time may use it.
pub struct ShrinkwarpTrainer {
    trainer: Box<dyn Trainer>,
    block_bytes: usize,
}

/// Starts training the codec `spec` for blocks of `block_bytes` bytes; `shrinkwarp_codec_create` explains both. On
/// success `*trainer` is to be given to `shrinkwarp_trainer_finish` or freed with `shrinkwarp_trainer_free`.
///
/// # Safety
/// `spec` points to `spec_bytes` bytes, `trainer` to a pointer.
#[no_mangle]
pub unsafe extern "C" fn shrinkwarp_trainer_create(
    spec: *const c_char,
    spec_bytes: usize,
    block_bytes: u32,
    trainer: *mut *mut ShrinkwarpTrainer,
) -> ShrinkwarpStatus {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (trainer, spec) = unsafe { (target(trainer)?, parse(spec, spec_bytes, block_bytes)?) };
        let started = ShrinkwarpTrainer { trainer: spec.trainer(), block_bytes: block_bytes as usize };
        *trainer = Box::into_raw(Box::new(started));
        Ok(())
    })
}

/// Shows the trainer whole blocks.
///
/// # Safety
/// `trainer` came from this library and was neither finished nor freed; `blocks` points to `bytes` bytes.
#[no_mangle]
pub unsafe extern "C" fn shrinkwarp_trainer_observe(
    trainer: *mut ShrinkwarpTrainer,
    blocks: *const u8,
    bytes: usize,
) -> ShrinkwarpStatus {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (trainer, blocks) = unsafe { (trainer.as_mut(), slice(blocks, bytes)?) };
        let trainer = trainer.ok_or_else(|| Failure::argument("the trainer is null"))?;
        if !blocks.len().is_multiple_of(trainer.block_bytes) {
            let text = format!("{bytes} bytes are not whole blocks of {} bytes", trainer.block_bytes);
            return Err(Failure::argument(&text));
        }
        trainer.trainer.observe(blocks);
        Ok(())
    })
}

/// Makes the codec from what the trainer saw, and frees the trainer, also where that fails.
///
/// # Safety
/// `trainer` came from this library and was neither finished nor freed; `codec` points to a pointer.
#[no_mangle]
pub unsafe extern "C" fn shrinkwarp_trainer_finish(
    trainer: *mut ShrinkwarpTrainer,
    codec: *mut *mut ShrinkwarpCodec,
) -> ShrinkwarpStatus {
    guarded(|| {
        if trainer.is_null() {
            return Err(Failure::argument("the trainer is null"));
        }
        // SAFETY: it came from `Box::into_raw`, and the caller gives it back.
        let trainer = unsafe { Box::from_raw(trainer) };
        // SAFETY: the caller's promise.
        let codec = unsafe { target(codec) }?;
        *codec = ShrinkwarpCodec::give(trainer.trainer.finish());
        Ok(())
    })
}

/// Frees a trainer that was not finished; null is ignored.
///
/// # Safety
/// `trainer` is null or came from this library and was neither finished nor freed.
#[no_mangle]
pub unsafe extern "C" fn shrinkwarp_trainer_free(trainer: *mut ShrinkwarpTrainer) {
    // SAFETY: the caller's promise.
    unsafe { free(trainer) };
}
