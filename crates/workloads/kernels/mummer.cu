// Exact matching of DNA reads against a suffix tree, as MUMmerGPU in the ISPASS-2009 suite: a thread takes a read and, for each start
// in it, walks down from where the last walk's suffix link leads. Tree and reference are planes of texels with neighbours in two
// dimensions; the reads are plain memory. A place in the tree is x | y << 16.
#include "device.h"

#define ROOT 0x10000u

struct Match { uint node; short letters; };

// Node number of a place: 32 rows of 4,096 texels hold 131,072 nodes, column by column.
DEV uint node_number(uint place) {
  uint x = place & 0xffff, y = place >> 16;
  return (x << 5) + (y & 31) + ((y >> 5) << 17);
}

DEV uint letter_at(Texture reference, int position) {
  int inside = position & 0x3ffff, band = position >> 18;
  return fetch_plane_uint(reference, inside >> 2, (band << 2) + (inside & 3));
}

// A letter of a read, as a whole register: the compiler would compare it as 16 bits and convert it back and forth.
DEV uint letter_of(const uchar* read, int position) {
  uint letter = read[position];
  asm("" : "+r"(letter));
  return letter;
}

DEV uint child_of(Texture children, uint place, uint letter) {
  uint4 links = fetch_plane_uint4(children, place & 0xffff, place >> 16);
  switch (letter) {
    case 'A': return links.x;
    case 'C': return links.y;
    case 'G': return links.z;
    case 'T': return links.w;
    default: return 0;
  }
}

DEV void record(Match* match, uint place, int letters, int matched, int shortest) {
  if (matched <= shortest) return;
  match->node = node_number(place);
  match->letters = letters;
}

KERNEL match_reads(Match* matches, const uchar* reads, const int* read_start, const int* read_length, int count, int shortest,
                   Texture nodes, Texture children, Texture reference) {
  int read = global_id();
  if (read >= count) return;
  int last = read_length[read] - shortest, first = read_start[read];
  Match* match = matches + first - read * (shortest + 1);
  const uchar* letters = reads + first;
  // `matched` counts the letter in front of the read; `skipped` letters of the next edges are known to match.
  uint place = 0;
  int matched = 0, skipped = 0;
  for (int start = 0; start <= last; ++start, ++match, ++letters) {
    if (place == 0 || matched < 1) {
      place = ROOT;
      matched = 1;
      skipped = 0;
    }
    uint parent = place, letter = letter_of(letters, matched);
    int position = 0, edge_start = 0;
    while (letter != 0) {
      parent = place;
      place = child_of(children, place, letter);
      if (place == 0) {
        record(match, parent, 0, matched, shortest);
        matched -= 1;
        skipped = 0;
        goto follow_suffix_link;
      }
      uint4 edge = fetch_plane_uint4(nodes, place & 0xffff, place >> 16);
      edge_start = edge.x;
      int edge_end = edge.y;
      if (skipped) {
        int length = edge_end - edge_start + 1;
        if (skipped >= length) {
          position = edge_end + 1;
          matched += length;
          skipped -= length;
        } else {
          position = edge_start + skipped;
          matched += skipped;
          skipped = 0;
        }
      } else {
        // The first letter chose the edge, so it matches.
        position = edge_start + 1;
        matched += 1;
      }
      letter = letter_of(letters, matched);
      while (position <= edge_end && letter != 0) {
        if (letter_at(reference, position) != letter) goto leave_edge;
        ++matched;
        ++position;
        letter = letter_of(letters, matched);
      }
    }
  leave_edge:
    record(match, place, position - edge_start, matched, shortest);
    skipped = position - edge_start;
    matched -= skipped + 1;
  follow_suffix_link:
    place = fetch_plane_uint4(nodes, parent & 0xffff, parent >> 16).w;
  }
}
