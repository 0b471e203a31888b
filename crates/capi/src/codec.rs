//! A codec: created, used by any number of threads, freed.

use std::os::raw::c_char;
use std::str;

use shrinkwarp_codec::registry::CodecSpec;
use shrinkwarp_codec::{BitReader, BitWriter, BlockBytes, BlockCodec, Encodings, MAX_ENCODING_BYTES};

use crate::failure::{guarded, Failure, ShrinkwarpStatus};
use crate::memory::{free, slice, slice_mut, target};

/// A codec with its parameters, block size and trained tables. It never changes, so threads may share it.
pub struct ShrinkwarpCodec(Box<dyn BlockCodec>);

impl ShrinkwarpCodec {
    /// Hands a codec to the caller.
    pub(crate) fn give(codec: Box<dyn BlockCodec>) -> *mut Self {
        Box::into_raw(Box::new(Self(codec)))
    }
}

/// Reads `name[:key=value]…` for a block size.
///
/// # Safety
/// As for [`slice`].
pub(crate) unsafe fn parse(
    spec: *const c_char,
    spec_bytes: usize,
    block_bytes: u32,
) -> Result<CodecSpec, Failure> {
    // SAFETY: the caller's promise is the same.
    let text = unsafe { slice(spec.cast::<u8>(), spec_bytes) }?;
    let text = str::from_utf8(text).map_err(|_| Failure::argument("the codec's name is not UTF-8"))?;
    let block = BlockBytes::from_bytes(block_bytes as usize).ok_or_else(|| {
        Failure::new(ShrinkwarpStatus::Spec, &format!("blocks have 32, 64 or 128 bytes, not {block_bytes}"))
    })?;
    CodecSpec::parse(text, block).map_err(|error| Failure::new(ShrinkwarpStatus::Spec, &error))
}

/// The codec behind a pointer.
///
/// # Safety
/// `codec` is null or came from this library and was not freed.
unsafe fn borrowed<'a>(codec: *const ShrinkwarpCodec) -> Result<&'a dyn BlockCodec, Failure> {
    // SAFETY: the caller's promise.
    let codec = unsafe { codec.as_ref() }.ok_or_else(|| Failure::argument("the codec is null"))?;
    Ok(&*codec.0)
}

/// How many whole blocks `bytes` bytes are, which must be `count`.
fn check_blocks(codec: &dyn BlockCodec, bytes: usize, count: usize) -> Result<(), Failure> {
    let block_bytes = codec.block_bytes().bytes();
    if !bytes.is_multiple_of(block_bytes) || bytes / block_bytes != count {
        let text = format!("{bytes} bytes are not {count} blocks of {block_bytes} bytes");
        return Err(Failure::argument(&text));
    }
    Ok(())
}

/// Makes the codec `spec`, the `spec_bytes` bytes of a name with parameters (`bpc`, `e2mc16:ways=4`), for blocks of
/// `block_bytes` bytes (32, 64 or 128). A trained codec learns from the whole blocks of `sample`; others ignore it.
/// On success `*codec` is the codec, to be freed with `shrinkwarp_codec_free`.
///
/// # Safety
/// Every pointer points to as many elements as the length after it says, or is null and that length is 0; `codec` points
/// to a pointer.
#[no_mangle]
pub unsafe extern "C" fn shrinkwarp_codec_create(
    spec: *const c_char,
    spec_bytes: usize,
    block_bytes: u32,
    sample: *const u8,
    sample_bytes: usize,
    codec: *mut *mut ShrinkwarpCodec,
) -> ShrinkwarpStatus {
    // SAFETY: the caller's promise.
    unsafe {
        create(spec, spec_bytes, block_bytes, sample, sample_bytes, codec, |spec, sample| {
            Ok(spec.build(sample))
        })
    }
}

/// The same from tables that `shrinkwarp_codec_tables` gave, which hold what a codec learnt.
///
/// # Safety
/// As for `shrinkwarp_codec_create`.
#[no_mangle]
pub unsafe extern "C" fn shrinkwarp_codec_load(
    spec: *const c_char,
    spec_bytes: usize,
    block_bytes: u32,
    tables: *const u8,
    tables_bytes: usize,
    codec: *mut *mut ShrinkwarpCodec,
) -> ShrinkwarpStatus {
    let load = |spec: CodecSpec, tables: &[u8]| {
        spec.load(tables).map_err(|error| Failure::new(ShrinkwarpStatus::Tables, &error))
    };
    // SAFETY: the caller's promise.
    unsafe { create(spec, spec_bytes, block_bytes, tables, tables_bytes, codec, load) }
}

/// Makes a codec of a spec and of bytes that belong to it.
///
/// # Safety
/// As for [`shrinkwarp_codec_create`].
unsafe fn create(
    spec: *const c_char,
    spec_bytes: usize,
    block_bytes: u32,
    content: *const u8,
    content_bytes: usize,
    codec: *mut *mut ShrinkwarpCodec,
    make: impl FnOnce(CodecSpec, &[u8]) -> Result<Box<dyn BlockCodec>, Failure>,
) -> ShrinkwarpStatus {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (codec, spec, content) = unsafe {
            (target(codec)?, parse(spec, spec_bytes, block_bytes)?, slice(content, content_bytes)?)
        };
        *codec = ShrinkwarpCodec::give(make(spec, content)?);
        Ok(())
    })
}

/// Frees a codec that no thread uses any more; null is ignored.
///
/// # Safety
/// `codec` is null or came from this library and was not freed before.
#[no_mangle]
pub unsafe extern "C" fn shrinkwarp_codec_free(codec: *mut ShrinkwarpCodec) {
    // SAFETY: the caller's promise.
    unsafe { free(codec) };
}

/// The bytes of a block of this codec; 0 if it is null.
///
/// # Safety
/// `codec` is null or came from this library and was not freed.
#[no_mangle]
pub unsafe extern "C" fn shrinkwarp_codec_block_bytes(codec: *const ShrinkwarpCodec) -> usize {
    // SAFETY: the caller's promise.
    unsafe { borrowed(codec) }.map_or(0, |codec| codec.block_bytes().bytes())
}

/// Copies what the codec learnt into `tables` and sets `*tables_bytes` to its length, also where `capacity` is less; then
/// nothing is copied and the status is `SHRINKWARP_STATUS_ROOM`.
///
/// # Safety
/// `codec` came from this library and was not freed; `tables` points to `capacity` bytes; `tables_bytes` points to a size.
#[no_mangle]
pub unsafe extern "C" fn shrinkwarp_codec_tables(
    codec: *const ShrinkwarpCodec,
    tables: *mut u8,
    capacity: usize,
    tables_bytes: *mut usize,
) -> ShrinkwarpStatus {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (codec, room, tables_bytes) =
            unsafe { (borrowed(codec)?, slice_mut(tables, capacity)?, target(tables_bytes)?) };
        give_bytes(&codec.tables(), room, tables_bytes)
    })
}

/// The most bytes that the encodings of `count` blocks take.
#[no_mangle]
pub extern "C" fn shrinkwarp_compress_bound(count: usize) -> usize {
    count.saturating_mul(MAX_ENCODING_BYTES)
}

/// Puts the size in bits of each of `count` blocks into `sizes_bits`: the fast way to know how well a codec does. A size
/// may exceed the block's own.
///
/// # Safety
/// `codec` came from this library and was not freed; `blocks` points to `bytes` bytes and `sizes_bits` to `count` numbers.
#[no_mangle]
pub unsafe extern "C" fn shrinkwarp_sizes_bits(
    codec: *const ShrinkwarpCodec,
    blocks: *const u8,
    bytes: usize,
    sizes_bits: *mut u32,
    count: usize,
) -> ShrinkwarpStatus {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (codec, blocks, sizes) =
            unsafe { (borrowed(codec)?, slice(blocks, bytes)?, slice_mut(sizes_bits, count)?) };
        check_blocks(codec, bytes, count)?;
        codec.sizes_bits(blocks, sizes);
        Ok(())
    })
}

/// Encodes `count` blocks one after the other into `encoded`, the next at the bit after the last of the one before, most
/// significant bits first. Puts the bits of each into `sizes_bits` and the bytes of all into `*encoded_bytes`, also where
/// `capacity` is less; then nothing is copied and the status is `SHRINKWARP_STATUS_ROOM`.
///
/// # Safety
/// `codec` came from this library and was not freed; every other pointer points to as many elements as the length after
/// it says, `encoded_bytes` to a size; what is written does not overlap anything else.
#[no_mangle]
pub unsafe extern "C" fn shrinkwarp_compress(
    codec: *const ShrinkwarpCodec,
    blocks: *const u8,
    bytes: usize,
    encoded: *mut u8,
    capacity: usize,
    sizes_bits: *mut u32,
    count: usize,
    encoded_bytes: *mut usize,
) -> ShrinkwarpStatus {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (codec, blocks, room, sizes, encoded_bytes) = unsafe {
            (
                borrowed(codec)?,
                slice(blocks, bytes)?,
                slice_mut(encoded, capacity)?,
                slice_mut(sizes_bits, count)?,
                target(encoded_bytes)?,
            )
        };
        check_blocks(codec, bytes, count)?;
        let mut out = BitWriter::with_capacity(bytes);
        codec.compress_each(blocks, &mut out, sizes);
        give_bytes(out.pad_to_bytes(), room, encoded_bytes)
    })
}

/// Decodes `count` blocks from what `shrinkwarp_compress` wrote, with the sizes that it gave. Damaged bits are an error,
/// or other blocks of the same length; never anything else. After an error what is in `blocks` is unspecified.
///
/// # Safety
/// As for `shrinkwarp_compress`.
#[no_mangle]
pub unsafe extern "C" fn shrinkwarp_decompress(
    codec: *const ShrinkwarpCodec,
    encoded: *const u8,
    encoded_bytes: usize,
    sizes_bits: *const u32,
    count: usize,
    blocks: *mut u8,
    bytes: usize,
) -> ShrinkwarpStatus {
    guarded(|| {
        // SAFETY: the caller's promise.
        let (codec, encoded, sizes, blocks) = unsafe {
            (
                borrowed(codec)?,
                slice(encoded, encoded_bytes)?,
                slice(sizes_bits, count)?,
                slice_mut(blocks, bytes)?,
            )
        };
        check_blocks(codec, bytes, count)?;
        let damaged = |text: &dyn ToString| Failure::new(ShrinkwarpStatus::Encoding, text);
        let encodings: Vec<BitReader<'_>> =
            Encodings::whole(encoded, sizes).map_err(|error| damaged(&error))?.cut(sizes).collect();
        codec
            .decompress_each(&encodings, blocks)
            .map_err(|(index, error)| damaged(&format!("block {index}: {error}")))
    })
}

/// Copies a result to the caller, or says how much room it needs.
fn give_bytes(result: &[u8], room: &mut [u8], bytes: &mut usize) -> Result<(), Failure> {
    *bytes = result.len();
    let Some(room) = room.get_mut(..result.len()) else {
        let text = format!("the result has {} bytes", result.len());
        return Err(Failure::new(ShrinkwarpStatus::Room, &text));
    };
    room.copy_from_slice(result);
    Ok(())
}
