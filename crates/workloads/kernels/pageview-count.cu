// Page views as Mars' PageViewCount, two MapReduces over a web log `URL<tab>visitor<tab>cookie`: the first hashes whole
// lines and keeps one of each, the second cuts the lines into URL and visitor and groups them by URL.
#define MARS_SORTS
#include "mars.h"

// A key points into the text; it is compared by hash, then byte by byte.
struct Key { char* text; int offset; int hash; };
struct Value { int bytes; int phase; };

DEV int hash_bytes(const char* text, int bytes) {
  int hash = bytes;
#pragma unroll 2
  for (int i = 0; i < bytes; ++i) hash = (hash << 4) ^ (hash >> 28) ^ text[i];
  return hash;
}

DEV void count_record(char*, char* value, const Sizes& sizes) {
  if (((Value*)value)->phase == 0) emit_sizes(sizes, sizeof(Key), sizeof(Value));
  else emit_sizes(sizes, sizeof(Key), sizeof(int));
}

DEV void map_record(char* key_bytes, char* value_bytes, const Output& out) {
  Key* key = (Key*)key_bytes;
  Value* value = (Value*)value_bytes;
  char* line = key->text + key->offset;
  if (value->phase == 0) {
    key->hash = hash_bytes(line, value->bytes);
    __syncthreads();
    emit(out, key_bytes, value_bytes, sizeof(Key), sizeof(Value));
  } else {
    char* at = line;
    int url_bytes = 1;
    for (; *at != '\t'; ++at) ++url_bytes;
    *at = '\0';
    int visitor = key->offset + url_bytes;
    for (++at; *at != '\t'; ++at) {}
    *at = '\0';
    int* own = staging();
    *own = visitor;
    key->hash = hash_bytes(line, url_bytes);
    __syncthreads();
    emit(out, key_bytes, (const char*)own, sizeof(Key), sizeof(int));
  }
}

DEV int compare_keys(const char* a_bytes, int, const char* b_bytes, int) {
  const Key* a = (const Key*)a_bytes;
  const Key* b = (const Key*)b_bytes;
  int a_hash = a->hash, b_hash = b->hash;
  if (a_hash > b_hash) return 1;
  if (a_hash < b_hash) return -1;
  const char* x = a->text + a->offset;
  const char* y = b->text + b->offset;
  for (; *x == *y && *x != '\0' && *y != '\0'; ++x) ++y;
  if (*x > *y) return 1;
  if (*x < *y) return -1;
  return 0;
}

MARS_MAP

// The reduction keeps the first record of each group and sets its phase.
KERNEL reduce_count(int* key_bytes, int* value_bytes, int* emitted, int groups) {
  if ((int)task_id() >= groups) return;
  emit_sizes({key_bytes, value_bytes, emitted}, sizeof(Key), sizeof(Value));
}

KERNEL reduce_emit(char* keys, char* values, const Entry* directory, const int2* ranges, const int* key_start,
                   const int* value_start, const int* record_start, int2* written, char* out_keys, char* out_values,
                   Entry* out_directory, int* cursor, int groups) {
  if ((int)task_id() >= groups) return;
  Entry place = out_directory[record_start[task_id()]];
  place.x = key_start[task_id()];
  place.z = value_start[task_id()];
  out_directory[record_start[task_id()]] = place;
  Entry entry = directory[ranges[task_id()].x];
  Value* value = (Value*)(values + entry.z);
  value->phase = 1;
  Output out = {key_start, value_start, record_start, written, out_keys, out_values, out_directory, cursor};
  __syncthreads();
  emit(out, keys + entry.x, (const char*)value, sizeof(Key), sizeof(Value));
}
