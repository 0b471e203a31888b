// Word count as MapReduce: every thread splits one line into words, words are sorted, and each group is counted.
#include "mapreduce.h"

DEV bool is_letter(uchar c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// How many words a line has; the host turns the counts into output positions.
KERNEL count_words(const uchar* text, const int* line_start, int* words, int lines) {
  int line = global_id();
  if (line >= lines) return;
  int found = 0;
  bool was_letter = false;
  for (int i = line_start[line]; i < line_start[line + 1]; ++i) {
    bool letter = is_letter(text[i]);
    found += letter && !was_letter;
    was_letter = letter;
  }
  words[line] = found;
}

KERNEL emit_words(const uchar* text, const int* line_start, const int* position, Record* records, int lines) {
  int line = global_id();
  if (line >= lines) return;
  int out = position[line], end = line_start[line + 1];
  for (int i = line_start[line]; i < end;) {
    if (!is_letter(text[i])) {
      ++i;
      continue;
    }
    int start = i;
    while (i < end && is_letter(text[i])) ++i;
    records[out++] = {hash_bytes(text, start, i - start), start, i - start, 1};
  }
}

// The first record of a group adds up the rest.
KERNEL reduce_groups(const uchar* text, const Record* records, int* counts, int count) {
  int i = global_id();
  if (i >= count || (i > 0 && compare_keys(text, records[i - 1], records[i]) == 0)) return;
  int total = 0;
  for (int j = i; j < count && compare_keys(text, records[i], records[j]) == 0; ++j) total += records[j].value;
  counts[i] = total;
}
