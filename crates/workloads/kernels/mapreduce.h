// The stages that the MapReduce workloads share (Mars): records are (key bytes, value); keys are hashed, sorted by a
// bitonic network over a hash with their text as the tie-break, then each group of equal keys is reduced by one thread.
#pragma once
#include "device.h"

struct Record { uint hash; int offset; int length; int value; };

// FNV-1a.
DEV uint hash_bytes(const uchar* text, int offset, int length) {
  uint hash = 2166136261u;
  for (int i = 0; i < length; ++i) hash = (hash ^ text[offset + i]) * 16777619u;
  return hash;
}

// Order of two records: hash, then length, then bytes, then value.
DEV int compare_keys(const uchar* text, const Record& a, const Record& b) {
  if (a.hash != b.hash) return a.hash < b.hash ? -1 : 1;
  if (a.length != b.length) return a.length - b.length;
  for (int i = 0; i < a.length; ++i) {
    int difference = (int)text[a.offset + i] - (int)text[b.offset + i];
    if (difference) return difference;
  }
  return 0;
}

// One step of the bitonic network over 2^n records; unused ones have length -1 and sort last.
DEV bool is_before(const uchar* text, const Record& a, const Record& b) {
  if (a.length < 0 || b.length < 0) return b.length < 0 && a.length >= 0;
  int order = compare_keys(text, a, b);
  return order ? order < 0 : a.value < b.value;
}

KERNEL sort_step(const uchar* text, Record* records, int count, int size, int stride) {
  int i = global_id(), j = i ^ stride;
  if (i >= count || j <= i) return;
  Record a = records[i], b = records[j];
  bool ascending = (i & size) == 0;
  if (ascending ? is_before(text, b, a) : is_before(text, a, b)) {
    records[i] = b;
    records[j] = a;
  }
}
