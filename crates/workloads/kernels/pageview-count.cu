// Page views a URL, counting each visitor once, as MapReduce over a web log: a thread a line finds the URL and hashes
// it with the visitor; sorted groups of (URL, visitor) count one each, then the URLs are counted.
#include "mapreduce.h"

// A line is `URL visitor time`, separated by single blanks; the visitor is a number.
KERNEL map_visits(const uchar* text, const int* line_start, Record* records, int lines) {
  int line = global_id();
  if (line >= lines) return;
  int start = line_start[line], end = line_start[line + 1], i = start;
  while (i < end && text[i] != ' ' && text[i] != '\n') ++i;
  int length = i - start, visitor = 0;
  for (++i; i < end && text[i] >= '0' && text[i] <= '9'; ++i) visitor = visitor * 10 + (text[i] - '0');
  records[line] = {hash_bytes(text, start, length), start, length, visitor};
}

// The first record of a URL counts the visitors that follow; equal visitors stand together.
KERNEL reduce_visitors(const uchar* text, const Record* records, int* counts, int count) {
  int i = global_id();
  if (i >= count || (i > 0 && compare_keys(text, records[i - 1], records[i]) == 0)) return;
  int visitors = 0;
  for (int j = i; j < count && compare_keys(text, records[i], records[j]) == 0; ++j)
    visitors += j == i || records[j].value != records[j - 1].value;
  counts[i] = visitors;
}
