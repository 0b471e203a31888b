"""Calls the package with arrays and arguments made at random: a result, or one of the exceptions that it documents.

Anything else (another exception, a crash, an array that does not come back) ends it with the seed of the call.
"""

import argparse
import random
import time

import numpy as np

import shrinkwarp as sw

ALLOWED = (sw.ShrinkwarpError, MemoryError, TypeError)
DTYPES = ["?", "i1", ">i2", "u4", ">u8", "f2", "f4", ">f8", "c8", "g", "S3", "U2", "O", "m8[s]", [("a", "i4"), ("b", "O")], [("a", ">f4"), ("b", "u1")], "V7", "V0", "S0"]
PTX = """
.version 6.0
.target sm_50
.address_size 64
.visible .entry move(.param .u64 data, .param .u32 n, .param .f32 x)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret;
}
"""


def an_array(chance):
    shape = tuple(chance.choice([0, 1, 2, 3, 31, 64, 129, 1000]) for _ in range(chance.randrange(4)))
    if np.prod(shape, dtype=float) > 1e6:
        shape = shape[:2]
    array = np.zeros(shape, dtype=chance.choice(DTYPES))
    if array.size and array.dtype.kind in "iuf?" and chance.random() < 0.7:
        array[...] = np.random.default_rng(chance.randrange(1 << 30)).integers(0, 2, shape)
    if array.ndim and chance.random() < 0.4:
        array = array[:: chance.choice([-1, 1, 2, -3])]
    if chance.random() < 0.3:
        array = array.T
    if chance.random() < 0.2:
        array = np.broadcast_to(array, (2, *array.shape))
    if chance.random() < 0.2:
        array.flags.writeable = False
    return array


def anything(chance):
    return chance.choice([lambda: an_array(chance), lambda: None, lambda: chance.randrange(-(1 << 66), 1 << 66),
                          lambda: chance.random(), lambda: "text\nlines", lambda: b"\0" * chance.randrange(300),
                          lambda: [1, [2]], lambda: {}, lambda: {"a": an_array(chance), 3: an_array(chance)}])()


def a_codec(chance):
    codec = sw.Codec(chance.choice(NAMES), block_bytes=chance.choice([32, 64, 128, 128, 128, 7]))
    return codec.train(an_array(chance)) if chance.random() < 0.7 else codec


def round_trip(chance):
    codec, array = a_codec(chance), an_array(chance)
    encoded = codec.compress(array)
    back = codec.decompress(encoded)
    plain = array if array.dtype.isnative or array.dtype.names else array.astype(array.dtype.newbyteorder("<"))
    assert back.shape == array.shape and back.tobytes() == plain.tobytes()


def damaged(chance):
    codec = a_codec(chance)
    encoded = codec.compress(an_array(chance))
    data = bytearray(encoded.data)
    for _ in range(min(len(data), 3)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    sizes = encoded.sizes_bits.copy()
    if sizes.size and chance.random() < 0.5:
        sizes[chance.randrange(sizes.size)] = chance.choice([0, 1, 1 << 31, 0xFFFFFFFF])
    codec.decompress(sw.Encoded(codec.spec, 128, bytes(data), sizes, encoded.tail, np.dtype("u1"), (-1,)))


def loaded(chance):
    codec = a_codec(chance)
    tables = bytearray(codec.tables)
    if tables:
        tables[chance.randrange(len(tables))] ^= 1 << chance.randrange(8)
    again = sw.Codec(codec.spec, block_bytes=codec.block_bytes, tables=bytes(tables[: chance.randrange(len(tables) + 1)]))
    again.size_bits(an_array(chance))


def analysed(chance):
    sw.analyze(anything(chance), codecs=chance.choice([["bdi"], ["zero", "sc"], [""]]), block_bytes=chance.choice([128, 32, 5]),
               train=chance.choice(["all", "10%", "x"]), approximate_bits=chance.choice([None, 8, 99]))._repr_html_()


def launched(chance):
    machine = chance.choice([{}, {}, {"scheme": "bdi-memory"}])
    sw.launch(PTX, chance.choice(["move", None, "x"]), chance.choice([1, (2, 1), 0, -1, (1, 2, 3, 4)]), chance.choice([32, 1, 1025]),
              [anything(chance) for _ in range(chance.choice([3, 3, 3, 2]))], max_instructions=100_000, **machine)


def configured(chance):
    sw.Scheme("none", **{chance.choice(["memory__codec", "l1__modes", "x", "packets__compress_cycles"]): anything(chance)})


CALLS = [round_trip, damaged, loaded, analysed, launched, configured]
NAMES = [codec.name for codec in sw.codecs()] + ["x", "bpc:element=9"]

if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=600)
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    end, seed, refused = time.monotonic() + asked.seconds, asked.seed, 0
    while time.monotonic() < end:
        chance = random.Random(seed)
        call = chance.choice(CALLS)
        try:
            call(chance)
        except ALLOWED:
            refused += 1
        except BaseException:
            print(f"seed {seed}: {call.__name__}")
            raise
        seed += 1
    print(f"{seed - asked.seed} calls, {refused} of them refused")
