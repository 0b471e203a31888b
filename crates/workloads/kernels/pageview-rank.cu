// Pages by number of views as Mars' PageViewRank: the records are a rank and the place of its line in a text that stays on
// the host; the map copies them, and the sort, largest rank first, is the work.
#define MARS_SORTS
#include "mars.h"

DEV void count_record(char*, char*, const Sizes& sizes) { emit_sizes(sizes, sizeof(int), sizeof(int)); }

DEV void map_record(char* key, char* value, const Output& out) {
  int* own = staging();
  own[0] = *(int*)key;
  own[1] = *(int*)value;
  __syncthreads();
  emit(out, (const char*)own, (const char*)(own + 1), sizeof(int), sizeof(int));
}

DEV int compare_keys(const char* a, int, const char* b, int) {
  int x = *(const int*)a, y = *(const int*)b;
  if (x > y) return -1;
  if (x < y) return 1;
  return 0;
}

MARS_MAP
