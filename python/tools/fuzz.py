"""Calls the package with arrays and arguments made at random: a result, or one of the exceptions that it documents.

Most calls are valid, with odd arrays (empty, read-only, not contiguous, big-endian, without dimensions, of narrow types); about one
argument in twelve is wrong. Anything else (another exception, a crash, an array that does not come back) ends it with the seed of
the call. Tensors of torch and types of ml_dtypes are among the arrays where these are installed.
"""

import argparse
import collections
import random
import time

import numpy as np

import shrinkwarp as sw

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
try:
    import torch
except ImportError:
    torch = None

ALLOWED = (sw.ShrinkwarpError, MemoryError, TypeError)
DTYPES = ["?", "i1", ">i2", "u4", "i8", ">u8", "f2", "f4", "f4", ">f8", "c8", "g", "S3", "U2", "m8[s]", [("a", ">f4"), ("b", "u1")], "V7"]
if ml_dtypes is not None:
    DTYPES += [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.int4, ml_dtypes.uint4]
#: Without bytes, or without a meaning as bytes.
ODD_DTYPES = ["O", [("a", "i4"), ("b", "O")], "V0", "S0"]
PTX = """
.version 6.0
.target sm_50
.address_size 64
.visible .entry move(.param .u64 data, .param .u32 n, .param .f32 x)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r2, [n];
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, %r2;
    @%p1 bra DONE;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
DONE:
    ret;
}
"""


def mostly(chance, usual, odd):
    """One of the usual values, once in twelve times one of the odd ones."""
    return chance.choice(odd) if chance.random() < 1 / 12 else chance.choice(usual)


def an_array(chance):
    shape = tuple(chance.choice([0, 1, 2, 3, 31, 64, 129, 1000]) for _ in range(chance.randrange(4)))
    if np.prod(shape, dtype=float) > 1e5:
        shape = shape[:1]
    array = np.zeros(shape, dtype=mostly(chance, DTYPES, ODD_DTYPES))
    if array.size and array.dtype.kind in "iufcV?" and array.dtype.names is None and array.dtype.itemsize and chance.random() < 0.8:
        generator = np.random.default_rng(chance.randrange(1 << 30))
        if array.dtype.name.startswith("void"):
            array = np.frombuffer(generator.bytes(array.nbytes), array.dtype).reshape(shape).copy()
        else:
            array = generator.integers(0, chance.choice([2, 8]), shape).astype(array.dtype)
    if array.ndim and chance.random() < 0.3:
        array = array[:: chance.choice([-1, 1, 2, -3])]
    if chance.random() < 0.2:
        array = array.T
    if chance.random() < 0.1:
        array = np.broadcast_to(array, (2, *array.shape))
    if isinstance(array, np.ndarray) and chance.random() < 0.2:
        array.flags.writeable = False
    return array


def a_tensor(chance):
    tensor = torch.arange(chance.choice([0, 1, 33, 4096])).to(getattr(torch, chance.choice(["float32", "bfloat16", "int8", "complex64"])))
    if chance.random() < 0.3:
        tensor = tensor[::2]
    return tensor.conj() if tensor.is_complex() and chance.random() < 0.5 else tensor


def some_data(chance):
    return a_tensor(chance) if torch is not None and chance.random() < 0.2 else an_array(chance)


def anything(chance):
    return chance.choice([lambda: some_data(chance), lambda: None, lambda: chance.randrange(-(1 << 66), 1 << 66),
                          lambda: chance.random(), lambda: "text\nlines", lambda: b"\0" * chance.randrange(300),
                          lambda: [1, [2]], lambda: {}, lambda: {"a": an_array(chance), 3: an_array(chance)}])()


def a_codec(chance):
    info = mostly(chance, CODECS, [None])
    name = chance.choice(["x", "bpc:element=9"]) if info is None else info.name
    parameters = {key: chance.choice(allowed) for key, allowed in info.parameters.items()} if info and chance.random() < 0.3 else {}
    codec = sw.Codec(name, block_bytes=mostly(chance, info.block_bytes if info else [128], [32, 64, 7]), **parameters)
    learns = info is not None and info.trained and chance.random() < 11 / 12
    return codec.train(some_data(chance), some_data(chance)) if learns or chance.random() < 0.2 else codec


def round_trip(chance):
    codec, array = a_codec(chance), some_data(chance)
    encoded = codec.compress(array)
    assert np.array_equal(encoded.sizes_bits, codec.size_bits(array)[: encoded.sizes_bits.size])
    back = codec.decompress(encoded)
    if torch is not None and isinstance(array, torch.Tensor):
        assert back.tobytes() == array.resolve_conj().clone(memory_format=torch.contiguous_format).view(torch.uint8).numpy().tobytes()
        return
    plain = array if array.dtype.isnative or array.dtype.names else array.astype(array.dtype.newbyteorder("<"))
    assert back.shape == array.shape and back.tobytes() == plain.tobytes()


def damaged(chance):
    codec = a_codec(chance)
    encoded = codec.compress(some_data(chance))
    data = bytearray(encoded.data)
    for _ in range(min(len(data), 3)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    sizes = encoded.sizes_bits.copy()
    if sizes.size and chance.random() < 0.1:
        sizes[chance.randrange(sizes.size)] = chance.choice([0, 1, 1 << 31, 0xFFFFFFFF])
    codec.decompress(sw.Encoded(codec.spec, codec.block_bytes, bytes(data), sizes, encoded.tail, np.dtype("u1"), (-1,)))


def loaded(chance):
    codec = a_codec(chance)
    tables = codec.tables
    if chance.random() < 0.3:
        tables = bytearray(tables)
        if tables:
            tables[chance.randrange(len(tables))] ^= 1 << chance.randrange(8)
        tables = bytes(tables[: mostly(chance, [len(tables)], [0, len(tables) // 2])])
    again = sw.Codec(codec.spec, block_bytes=codec.block_bytes, tables=tables)
    array = some_data(chance)
    sizes = again.size_bits(array)
    if tables == codec.tables:
        assert np.array_equal(sizes, codec.size_bits(array))


def analysed(chance):
    data = mostly(chance, [some_data, lambda chance: {"a": some_data(chance), "b": {"c": some_data(chance)}}], [anything])(chance)
    found = sw.analyze(data, codecs=mostly(chance, [None, ["bdi"], ["zero", "sc"], ["bpc"]], [[""], ["x"]]),
                       block_bytes=mostly(chance, [128, 128, 64, 32], [5]), train=mostly(chance, ["all", "10%"], ["x", "0%"]),
                       approximate_bits=mostly(chance, [None, None, 8], [99]), planes=chance.random() < 0.2)
    assert found._repr_html_() and found.table(True) and found.csv()


def launched(chance):
    machine = chance.choice([{}, {}, {"gpu": "gtx480"}, {"scheme": "bdi-memory", "verify": True}, {"scheme": "dsm"}])
    count = mostly(chance, [0, 1, 32, 64], [1000, -1, 1 << 40, 0.5])
    ours = np.ones(64, chance.choice(["u4", "f4", "i4"]))
    data = mostly(chance, [ours], [anything(chance)])
    arguments = [data, count, mostly(chance, [1.0, 2, np.float32(3)], [anything(chance)])]
    block = mostly(chance, [32, 64, (8, 8)], [1, 1025])
    sw.launch(PTX, mostly(chance, ["move", None], ["x"]), mostly(chance, [1, (2, 1), np.int64(3)], [0, -1, (1, 2, 3, 4)]), block,
              mostly(chance, [arguments], [arguments[:2]]), max_instructions=100_000, **machine)
    if data is ours:
        written = min(count % (1 << 32), block[0] if isinstance(block, tuple) else block)
        assert (ours.view("u4")[:written] == np.arange(written)).all() and (ours[written:] == 1).all()


def configured(chance):
    key, value = mostly(chance, [("memory__codec", "bdi"), ("packets__codec", "bpc"), ("memory__codec", "fpc")],
                        [(key, anything(chance)) for key in ["memory__codec", "l1__modes", "x", "packets__compress_cycles"]])
    scheme = sw.Scheme("none", **{key: value})
    gpu = sw.Gpu("gtx480", l1__size_kib=mostly(chance, [16, 48], [0, 17, "x"]))
    assert scheme[key] == value and gpu["l1.size_kib"]
    if chance.random() < 0.05:
        result = sw.run("histogram", gpu=gpu, scheme=scheme, scale="tiny", store="none")
        assert result.cycles > 0 and repr(result) and result.row()


CALLS = [round_trip, round_trip, damaged, loaded, analysed, launched, configured]
CODECS = sw.codecs()

if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=600)
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    end, seed = time.monotonic() + asked.seconds, asked.seed
    made, refused = collections.Counter(), collections.Counter()
    while time.monotonic() < end:
        chance = random.Random(seed)
        call = chance.choice(CALLS)
        made[call.__name__] += 1
        try:
            call(chance)
        except ALLOWED:
            refused[call.__name__] += 1
        except BaseException:
            print(f"seed {seed}: {call.__name__}")
            raise
        seed += 1
    for name in sorted(made):
        print(f"{name}: {made[name]} calls, {refused[name]} of them refused")
    print(f"{sum(made.values())} calls, {sum(refused.values())} of them refused")
