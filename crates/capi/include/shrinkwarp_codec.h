/* Block codecs for memory compression: the C interface. Made by cbindgen; see crates/capi/README.md. */

#ifndef SHRINKWARP_CODEC_H
#define SHRINKWARP_CODEC_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// How a call ended. All but `SHRINKWARP_STATUS_OK` leave a text for `shrinkwarp_last_error`.
typedef enum {
  // All was done.
  SHRINKWARP_STATUS_OK = 0,
  // A pointer is null or a length does not fit the others.
  SHRINKWARP_STATUS_ARGUMENT = 1,
  // No such codec, parameter or block size.
  SHRINKWARP_STATUS_SPEC = 2,
  // The tables do not belong to this codec, or are damaged.
  SHRINKWARP_STATUS_TABLES = 3,
  // The buffer for the result is too small.
  SHRINKWARP_STATUS_ROOM = 4,
  // The encoding is damaged.
  SHRINKWARP_STATUS_ENCODING = 5,
  // A defect of the library. Whatever the call should have written is unspecified.
  SHRINKWARP_STATUS_INTERNAL = 6,
} ShrinkwarpStatus;

// A codec with its parameters, block size and trained tables. It never changes, so threads may share it.
typedef struct ShrinkwarpCodec ShrinkwarpCodec;

// A codec in training. One thread at a time may use it.
typedef struct ShrinkwarpTrainer ShrinkwarpTrainer;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Makes the codec `spec`, the `spec_bytes` bytes of a name with parameters (`bpc`, `e2mc16:ways=4`), for blocks of
// `block_bytes` bytes (32, 64 or 128). A trained codec learns from the whole blocks of `sample`; others ignore it.
// On success `*codec` is the codec, to be freed with `shrinkwarp_codec_free`.
//
// # Safety
// Every pointer points to as many elements as the length after it says, or is null and that length is 0; `codec` points
// to a pointer.
ShrinkwarpStatus shrinkwarp_codec_create(const char *spec,
                                         size_t spec_bytes,
                                         uint32_t block_bytes,
                                         const uint8_t *sample,
                                         size_t sample_bytes,
                                         ShrinkwarpCodec **codec);

// The same from tables that `shrinkwarp_codec_tables` gave, which hold what a codec learnt.
//
// # Safety
// As for `shrinkwarp_codec_create`.
ShrinkwarpStatus shrinkwarp_codec_load(const char *spec,
                                       size_t spec_bytes,
                                       uint32_t block_bytes,
                                       const uint8_t *tables,
                                       size_t tables_bytes,
                                       ShrinkwarpCodec **codec);

// Frees a codec that no thread uses any more; null is ignored.
//
// # Safety
// `codec` is null or came from this library and was not freed before.
void shrinkwarp_codec_free(ShrinkwarpCodec *codec);

// The bytes of a block of this codec; 0 if it is null.
//
// # Safety
// `codec` is null or came from this library and was not freed.
size_t shrinkwarp_codec_block_bytes(const ShrinkwarpCodec *codec);

// Copies what the codec learnt into `tables` and sets `*tables_bytes` to its length, also where `capacity` is less; then
// nothing is copied and the status is `SHRINKWARP_STATUS_ROOM`.
//
// # Safety
// `codec` came from this library and was not freed; `tables` points to `capacity` bytes; `tables_bytes` points to a size.
ShrinkwarpStatus shrinkwarp_codec_tables(const ShrinkwarpCodec *codec,
                                         uint8_t *tables,
                                         size_t capacity,
                                         size_t *tables_bytes);

// The most bytes that the encodings of `count` blocks take.
size_t shrinkwarp_compress_bound(size_t count);

// Puts the size in bits of each of `count` blocks into `sizes_bits`: the fast way to know how well a codec does. A size
// may exceed the block's own.
//
// # Safety
// `codec` came from this library and was not freed; `blocks` points to `bytes` bytes and `sizes_bits` to `count` numbers.
ShrinkwarpStatus shrinkwarp_sizes_bits(const ShrinkwarpCodec *codec,
                                       const uint8_t *blocks,
                                       size_t bytes,
                                       uint32_t *sizes_bits,
                                       size_t count);

// Encodes `count` blocks one after the other into `encoded`, the next at the bit after the last of the one before, most
// significant bits first. Puts the bits of each into `sizes_bits` and the bytes of all into `*encoded_bytes`, also where
// `capacity` is less; then nothing is copied and the status is `SHRINKWARP_STATUS_ROOM`.
//
// # Safety
// `codec` came from this library and was not freed; every other pointer points to as many elements as the length after
// it says, `encoded_bytes` to a size; what is written does not overlap anything else.
ShrinkwarpStatus shrinkwarp_compress(const ShrinkwarpCodec *codec,
                                     const uint8_t *blocks,
                                     size_t bytes,
                                     uint8_t *encoded,
                                     size_t capacity,
                                     uint32_t *sizes_bits,
                                     size_t count,
                                     size_t *encoded_bytes);

// Decodes `count` blocks from what `shrinkwarp_compress` wrote, with the sizes that it gave. Damaged bits are an error,
// or other blocks of the same length; never anything else. After an error what is in `blocks` is unspecified.
//
// # Safety
// As for `shrinkwarp_compress`.
ShrinkwarpStatus shrinkwarp_decompress(const ShrinkwarpCodec *codec,
                                       const uint8_t *encoded,
                                       size_t encoded_bytes,
                                       const uint32_t *sizes_bits,
                                       size_t count,
                                       uint8_t *blocks,
                                       size_t bytes);

// Copies the text of this thread's last error into `text`, cut to `capacity` bytes with the final NUL, and returns its
// whole length without the NUL. With a `capacity` of 0 it only returns the length.
//
// # Safety
// `text` points to `capacity` bytes that may be written, or is null and `capacity` is 0.
size_t shrinkwarp_last_error(char *text,
                             size_t capacity);

// How many codecs there are.
size_t shrinkwarp_codec_count(void);

// The name of codec `index`, null past the last one. The text lives as long as the program.
const char *shrinkwarp_codec_name(size_t index);

// What codec `index` does, in one line; null past the last one. The text lives as long as the program.
const char *shrinkwarp_codec_summary(size_t index);

// The parameters of codec `index`, a line each: `key=default|other|…: meaning`. Null past the last codec. The text lives
// as long as the program.
const char *shrinkwarp_codec_parameters(size_t index);

// Whether codec `index` learns from a sample; false past the last one.
bool shrinkwarp_codec_is_trained(size_t index);

// Starts training the codec `spec` for blocks of `block_bytes` bytes; `shrinkwarp_codec_create` explains both. On
// success `*trainer` is to be given to `shrinkwarp_trainer_finish` or freed with `shrinkwarp_trainer_free`.
//
// # Safety
// `spec` points to `spec_bytes` bytes, `trainer` to a pointer.
ShrinkwarpStatus shrinkwarp_trainer_create(const char *spec,
                                           size_t spec_bytes,
                                           uint32_t block_bytes,
                                           ShrinkwarpTrainer **trainer);

// Shows the trainer whole blocks.
//
// # Safety
// `trainer` came from this library and was neither finished nor freed; `blocks` points to `bytes` bytes.
ShrinkwarpStatus shrinkwarp_trainer_observe(ShrinkwarpTrainer *trainer,
                                            const uint8_t *blocks,
                                            size_t bytes);

// Makes the codec from what the trainer saw, and frees the trainer, also where that fails.
//
// # Safety
// `trainer` came from this library and was neither finished nor freed; `codec` points to a pointer.
ShrinkwarpStatus shrinkwarp_trainer_finish(ShrinkwarpTrainer *trainer, ShrinkwarpCodec **codec);

// Frees a trainer that was not finished; null is ignored.
//
// # Safety
// `trainer` is null or came from this library and was neither finished nor freed.
void shrinkwarp_trainer_free(ShrinkwarpTrainer *trainer);

#ifdef __cplusplus
} // extern "C"
#endif // __cplusplus

#endif /* SHRINKWARP_CODEC_H */
