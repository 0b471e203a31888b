"""Do codecs give the right sizes and the array back, for every kind of array, or a clear exception?"""

import numpy as np
import pytest

import shrinkwarp as sw

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", "m8[s]", "M8[s]", "S5", "U3", "g"]


def numbers(count=1000, dtype="i4", seed=1):
    return np.random.default_rng(seed).integers(0, 9, count).astype("i8").astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_array_of_any_type_comes_back(dtype):
    data = numbers(dtype=dtype)
    codec = sw.Codec("bpc")
    encoded = codec.compress(data)
    back = codec.decompress(encoded)
    assert back.dtype == data.dtype and back.shape == data.shape
    assert back.tobytes() == data.tobytes()
    sizes = codec.size_bits(data)
    whole = data.nbytes // 128
    assert np.array_equal(sizes[:whole], encoded.sizes_bits)
    assert sizes.size == -(-data.nbytes // 128)


@pytest.mark.parametrize("name", [codec.name for codec in sw.codecs()])
def test_every_codec_gives_the_array_back(name):
    data = numbers(4096, "f4").reshape(64, 64)
    codec = sw.Codec(name)
    if not codec.is_ready:
        codec = codec.train(data)
    assert np.array_equal(codec.decompress(codec.compress(data)), data)


def test_an_array_that_is_not_contiguous_counts_as_its_copy():
    data = numbers(10_000).reshape(100, 100)
    codec = sw.Codec("bdi")
    for view in (data.T, data[::2], data[:, 1:7], data[::-1]):
        assert np.array_equal(codec.size_bits(view), codec.size_bits(view.copy()))


def test_big_endian_numbers_are_turned_round():
    data = numbers(1000, "<i4")
    codec = sw.Codec("bdi")
    assert np.array_equal(codec.size_bits(data.astype(">i4")), codec.size_bits(data))
    assert np.array_equal(codec.decompress(codec.compress(data.astype(">i4"))), data)


def test_empty_zero_dimensional_and_read_only_arrays():
    codec = sw.Codec("zero")
    assert codec.size_bits(np.zeros((0, 7))).size == 0
    assert codec.size_bits(np.float64(3)).tolist() == [64]
    assert codec.decompress(codec.compress(np.array(5.0))).shape == ()
    data = numbers()
    data.flags.writeable = False
    assert codec.size_bits(data).size == 32
    assert codec.size_bits(b"\0" * 256).tolist() == [1, 1]


def test_an_array_of_more_than_four_gibibytes(tmp_path):
    # A sparse file: pages that were never written are zero and take no room.
    path = tmp_path / "sparse"
    with open(path, "wb") as file:
        file.truncate((4 << 30) + 256)
    data = np.memmap(path, dtype=np.uint8, mode="r")
    sizes = sw.Codec("zero").size_bits(data)
    assert sizes.size == (1 << 25) + 2 and (sizes == 1).all()


def test_an_array_too_large_to_copy_is_a_memory_error():
    huge = np.broadcast_to(np.float32(0), (1 << 50,))
    with pytest.raises(MemoryError):
        sw.Codec("zero").size_bits(huge)


def test_objects_have_no_bytes():
    with pytest.raises(sw.UsageError, match="references to objects"):
        sw.Codec("bpc").size_bits(np.array([{}, []], dtype=object))


def test_records_are_bytes():
    data = np.zeros(100, dtype=[("a", ">i4"), ("b", "f8")])
    data["a"] = np.arange(100)
    codec = sw.Codec("bpc")
    assert np.array_equal(codec.decompress(codec.compress(data)), data)


def test_errors_have_the_command_s_text():
    with pytest.raises(sw.UsageError, match=r'unknown codec "bpd"; did you mean "bpc"\?'):
        sw.Codec("bpd")
    with pytest.raises(sw.UsageError, match="is not allowed"):
        sw.Codec("e2mc16", ways=3)
    with pytest.raises(sw.UsageError, match="32, 64 or 128"):
        sw.Codec("bpc", block_bytes=100)
    with pytest.raises(sw.UsageError, match="must be trained first"):
        sw.Codec("e2mc16").size_bits(numbers())
    with pytest.raises(sw.UsageError, match="tables"):
        sw.Codec("e2mc16", tables=b"nonsense")


def test_damaged_encodings_are_an_exception_or_other_numbers():
    data = numbers(4096)
    codec = sw.Codec("fpc")
    encoded = codec.compress(data)
    generator = np.random.default_rng(3)
    for _ in range(200):
        damaged = bytearray(encoded.data)
        damaged[generator.integers(len(damaged))] ^= 1 << generator.integers(8)
        altered = sw.Encoded(
            encoded.codec, 128, bytes(damaged), encoded.sizes_bits, encoded.tail, encoded.dtype, encoded.shape
        )
        try:
            assert codec.decompress(altered).shape == data.shape
        except sw.WorkError as error:
            assert "block" in str(error)
    short = sw.Encoded(encoded.codec, 128, encoded.data[:-9], encoded.sizes_bits, b"", encoded.dtype, encoded.shape)
    with pytest.raises(sw.UsageError, match="the sizes add up to"):
        codec.decompress(short)


def test_ml_dtypes_have_their_element_types():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype, name in [("bfloat16", "bf16"), ("float8_e4m3fn", "f8e4m3"), ("float8_e5m2", "f8e5m2")]:
        data = np.linspace(-1, 1, 512).astype(getattr(ml_dtypes, dtype))
        codec = sw.Codec("bdi")
        assert np.array_equal(codec.decompress(codec.compress(data)).view("u1"), data.view("u1"))
        assert sw.analyze(data).json["inputs"][0]["tensors"][0]["dtype"] == name


@pytest.mark.parametrize("count", [0, 1, 3, 512, 1001])
def test_elements_of_four_bits_are_packed(count):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    codec = sw.Codec("bdi")
    for dtype, name in [("int4", "int4"), ("uint4", "uint4"), ("float4_e2m1fn", "fp4")]:
        numbers_of_four_bits = np.arange(count) % 16 - (8 if dtype == "int4" else 0)
        data = numbers_of_four_bits.astype("f4").astype(getattr(ml_dtypes, dtype))
        found = sw.analyze(data, codecs=["bdi"]).json["inputs"][0]["tensors"][0]
        assert (found["dtype"], found["bytes"], found["shape"]) == (name, (count + 1) // 2, [count])
        encoded = codec.compress(data)
        assert codec.size_bits(data).size == -(-((count + 1) // 2) // 128)
        back = codec.decompress(encoded)
        assert back.dtype == data.dtype and np.array_equal(back.astype("f4"), data.astype("f4"))
    # The first is in the low half, as in files of safetensors.
    pair = np.array([1, 2], "i1").astype(ml_dtypes.uint4)
    assert codec.compress(pair).tail == b"\x21"
    with pytest.raises(sw.UsageError, match="int2, which is not supported"):
        codec.size_bits(np.zeros(8, ml_dtypes.int2))


def test_tensors_of_torch_are_shared():
    torch = pytest.importorskip("torch")
    tensor = torch.linspace(-1, 1, 4096).to(torch.bfloat16)
    found = sw.analyze({"weight": tensor, "inner": {"bias": torch.zeros(64)}}).json["inputs"][0]["tensors"]
    assert [(each["tensor"], each["dtype"]) for each in found] == [("weight", "bf16"), ("inner.bias", "f32")]
    for dtype, name in [("float8_e4m3fn", "f8e4m3"), ("float8_e5m2", "f8e5m2"), ("float16", "f16"), ("int8", "i8")]:
        narrow = torch.linspace(-1, 1, 4096).to(getattr(torch, dtype))
        assert sw.analyze(narrow, codecs=["bdi"]).json["inputs"][0]["tensors"][0]["dtype"] == name
        back = sw.Codec("bpc").decompress(sw.Codec("bpc").compress(narrow))
        assert back.tobytes() == narrow.view(torch.uint8).numpy().tobytes()
    state = torch.nn.Linear(64, 32).to(torch.bfloat16).state_dict()
    assert [each["dtype"] for each in sw.analyze(state).json["inputs"][0]["tensors"]] == ["bf16", "bf16"]
    # A state dict of a whole model: names joined with dots, integers and half-precision numbers among them.
    model = torch.nn.Sequential(torch.nn.Embedding(64, 32), torch.nn.BatchNorm1d(32), torch.nn.Linear(32, 8).half())
    found = sw.analyze(model.state_dict(), codecs=["bdi"]).json["inputs"][0]["tensors"]
    types = {each["tensor"]: (each["dtype"], each["shape"]) for each in found}
    assert types["0.weight"] == ("f32", [64, 32]) and types["2.weight"] == ("f16", [8, 32])
    assert types["1.num_batches_tracked"] == ("i64", [])
    raw = tensor.view(torch.int16).numpy()
    assert np.array_equal(sw.Codec("bpc").size_bits(tensor), sw.Codec("bpc").size_bits(raw))
    # Every other element, a transposed matrix, a conjugate that is not computed yet, a tensor that records gradients.
    one, none = torch.ones(2)[::2], torch.ones(4)[4::2]
    assert sw.Codec("bpc").compress(one).tail == np.float32(1).tobytes() and sw.Codec("bpc").size_bits(none).size == 0
    for odd in [tensor[::2], tensor.reshape(64, 64).T, torch.ones(256, dtype=torch.complex64).conj(), tensor.float().requires_grad_()]:
        expected = odd.detach().resolve_conj().contiguous().view(torch.uint8).numpy().tobytes()
        assert sw.Codec("bpc").decompress(sw.Codec("bpc").compress(odd)).tobytes() == expected
    with pytest.raises(sw.UsageError, match=r"to_dense\(\)"):
        sw.Codec("bpc").size_bits(torch.eye(4).to_sparse())
    with pytest.raises(sw.UsageError, match=r"\.cpu\(\)"):
        sw.Codec("bpc").size_bits(torch.empty(4, device="meta"))
