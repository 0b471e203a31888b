#!/usr/bin/env python3
"""Makes time-zones.safetensors from the tz database (public domain) of a Unix system.

For every zone of zone1970.tab, in its order: the UTC times at which clocks changed, the UTC offset in force after
each change, and the coordinates of the zone's city.

    python3 examples/make_time_zones.py examples/time-zones.safetensors
"""
import json
import re
import struct
import sys
from pathlib import Path

ZONEINFO = Path("/usr/share/zoneinfo")


def transitions(zone):
    """Times and offsets from the 64-bit part of a TZif file (RFC 8536)."""
    data = (ZONEINFO / zone).read_bytes()
    isutc, isstd, leap, times, types, chars = struct.unpack(">6I", data[20:44])
    start = 44 + times * 5 + types * 6 + chars + leap * 8 + isstd + isutc
    isutc, isstd, leap, times, types, chars = struct.unpack(">6I", data[start + 20:start + 44])
    at = start + 44
    moments = struct.unpack(f">{times}q", data[at:at + 8 * times])
    indices = data[at + 8 * times:at + 9 * times]
    kinds = at + 9 * times
    offsets = [struct.unpack(">i", data[kinds + 6 * i:kinds + 6 * i + 4])[0] for i in indices]
    return moments, offsets


def degrees(text):
    sign, digits = (-1 if text[0] == "-" else 1), text[1:]
    whole = len(digits) - (4 if len(digits) > 5 else 2)
    value = int(digits[:whole]) + int(digits[whole:whole + 2]) / 60
    if len(digits) > 5:
        value += int(digits[whole + 2:]) / 3600
    return sign * value


def main():
    moments, offsets, places = [], [], []
    for line in (ZONEINFO / "zone1970.tab").read_text().splitlines():
        if line.startswith("#"):
            continue
        _, coordinates, zone = line.split("\t")[:3]
        latitude, longitude = re.match(r"([+-]\d+)([+-]\d+)", coordinates).groups()
        places += [degrees(latitude), degrees(longitude)]
        more_moments, more_offsets = transitions(zone)
        moments += more_moments
        offsets += more_offsets
    tensors = [
        ("transition_times", "I64", [len(moments)], struct.pack(f"<{len(moments)}q", *moments)),
        ("utc_offsets", "I32", [len(offsets)], struct.pack(f"<{len(offsets)}i", *offsets)),
        ("coordinates", "F32", [len(places) // 2, 2], struct.pack(f"<{len(places)}f", *places)),
    ]
    header, end = {}, 0
    for name, dtype, shape, data in tensors:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + len(data)]}
        end += len(data)
    text = json.dumps(header).encode()
    with open(sys.argv[1], "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + b"".join(data for *_, data in tensors))


main()
