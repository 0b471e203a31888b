#!/usr/bin/env python3
"""Makes heat-start.npy and heat-expected.npy for heat.toml, in double precision and with nothing but Python."""

import struct

WIDTH, HEIGHT, STEPS = 48, 32, 40


def start():
    plate = [[0.0] * WIDTH for _ in range(HEIGHT)]
    for row in plate:
        row[0] = 100.0
    for y in range(12, 20):
        for x in range(20, 28):
            plate[y][x] = 50.0
    return plate


def step(now):
    following = [row[:] for row in now]
    for y in range(1, HEIGHT - 1):
        for x in range(1, WIDTH - 1):
            following[y][x] = 0.25 * (now[y][x - 1] + now[y][x + 1] + now[y - 1][x] + now[y + 1][x])
    return following


def save(name, plate, kind, code):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({HEIGHT}, {WIDTH}), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for row in plate:
            file.write(struct.pack(f"<{WIDTH}{code}", *row))


plate = start()
save("heat-start.npy", plate, "<f4", "f")
for _ in range(STEPS):
    plate = step(plate)
save("heat-expected.npy", plate, "<f4", "f")
