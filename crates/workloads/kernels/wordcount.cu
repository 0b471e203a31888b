// Words of a text as Mars' WordCount: a thread walks over a chunk of two kilobytes of upper-case text, ends each word with a
// zero and emits those of more than five letters; then the words are sorted and grouped. (The original has a barrier before
// it emits, in a loop that differs from thread to thread; that has no meaning in CUDA and is left out.)
#define MARS_SORTS
#include "mars.h"

struct Key { char* text; };
// Padded to 16 bytes, as the original's is.
struct Value { int offset; int bytes; int unused[2]; };

#define MIN_BYTES 7

DEV bool is_letter(char byte) { return byte >= 'A' && byte <= 'Z'; }

// Walks over a chunk and calls `word(start, bytes)` for each word, its closing zero included.
template <class Word> DEV void each_word(char* text, int bytes, Word word) {
  char* at = text;
  char* start = text;
  int done = 0;
  while (true) {
    for (; is_letter(*at); ++at) ++done;
    *at = '\0';
    ++at;
    ++done;
    word(start, (int)(at - start));
    for (; done < bytes && !is_letter(*at); ++at) ++done;
    if (done >= bytes) break;
    start = at;
  }
}

DEV void count_record(char* key, char* value, const Sizes& sizes) {
  Value* chunk = (Value*)value;
  each_word(((Key*)key)->text + chunk->offset, chunk->bytes, [&](char*, int bytes) {
    if (bytes >= MIN_BYTES) emit_sizes(sizes, bytes, sizeof(int));
  });
}

DEV void map_record(char* key, char* value, const Output& out) {
  Value* chunk = (Value*)value;
  each_word(((Key*)key)->text + chunk->offset, chunk->bytes, [&](char* word, int bytes) {
    int* own = staging();
    *own = bytes;
    if (bytes >= MIN_BYTES) emit(out, word, (const char*)own, bytes, sizeof(int));
  });
}

DEV int compare_keys(const char* a, int, const char* b, int) {
  for (; *a != '\0' && *b != '\0' && *a == *b; ++a) ++b;
  if (*a > *b) return 1;
  if (*a < *b) return -1;
  return 0;
}

MARS_MAP
