// URLs by number of views, as MapReduce: the map emits (views, URL) from a table of counts as text, the records are
// sorted by views, and the ranks are written.
#include "mapreduce.h"

// A line is `URL views`; the key is the number, so the sort is by it.
KERNEL map_views(const uchar* text, const int* line_start, Record* records, int lines) {
  int line = global_id();
  if (line >= lines) return;
  int start = line_start[line], end = line_start[line + 1], i = start;
  while (i < end && text[i] != ' ' && text[i] != '\n') ++i;
  int length = i - start;
  uint views = 0;
  for (++i; i < end && text[i] >= '0' && text[i] <= '9'; ++i) views = views * 10 + (text[i] - '0');
  records[line] = {~views, start, length, line};
}

KERNEL write_ranks(const Record* records, int* ranks, int count) {
  int i = global_id();
  if (i < count) ranks[records[i].value] = i;
}
