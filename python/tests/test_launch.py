"""Do kernels of one's own compute on arrays in place, with and without time?"""

import os
import signal
import threading
import time

import numpy as np
import pytest

import shrinkwarp as sw

SAXPY = """
.version 6.0
.target sm_50
.address_size 64
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<5>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.param.f32 %f1, [a];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r4, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r4, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %rd3, %r4, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    ld.global.f32 %f3, [%rd5];
    fma.rn.f32 %f3, %f1, %f2, %f3;
    st.global.f32 [%rd5], %f3;
DONE:
    ret;
}
"""

ENDLESS = """
.version 6.0
.target sm_50
.address_size 64
.visible .entry endless()
{
AGAIN:
    bra AGAIN;
}
"""


def arrays(count=1000):
    generator = np.random.default_rng(2)
    return generator.random(count, dtype=np.float32), generator.random(count, dtype=np.float32)


@pytest.mark.parametrize("machine", [{}, {"gpu": "gtx480"}, {"scheme": "bdi-memory", "verify": True}])
def test_arrays_are_what_the_kernel_made_of_them(machine):
    x, y = arrays()
    expected = y + np.float32(2) * x
    done = sw.launch(SAXPY, "saxpy", 8, 128, [x, y, 2.0, 1000], **machine)
    np.testing.assert_allclose(y, expected, rtol=1e-6)
    assert done.thread_instructions > 1000 and (done.cycles is None) == (not machine)


def test_a_scheme_is_seen_in_the_counters():
    x, y = np.zeros(4096, "f4"), np.zeros(4096, "f4")
    done = sw.launch(SAXPY, "saxpy", 32, 128, [x, y, 1.0, 4096], scheme="bdi-memory", sample_cycles=100)
    assert done.result.ratios["memory"] > 2 and done.result.series["cycle"].size > 2
    assert "saxpy" in repr(done.result)


def test_a_trained_scheme_takes_trained_codecs():
    x, y = arrays(4096)
    scheme = sw.Scheme("e2mc16")
    with pytest.raises(sw.UsageError, match="tables="):
        sw.launch(SAXPY, "saxpy", 32, 128, [x, y, 1.0, 4096], scheme=scheme)
    codec = sw.Codec(scheme["memory.codec"]).train(x)
    done = sw.launch(SAXPY, "saxpy", 32, 128, [x, y, 1.0, 4096], scheme=scheme, tables=codec)
    assert done.result.ratios["memory"] >= 1


def test_a_codec_of_ones_own_sees_the_blocks():
    class Zeros:
        def size_bits(self, block):
            return 1 if block == bytes(128) else 1025

    x, y = np.zeros(4096, "f4"), np.zeros(4096, "f4")
    done = sw.launch(SAXPY, "saxpy", 32, 128, [x, y, 1.0, 4096], scheme=sw.Scheme("none", memory__codec=Zeros()))
    assert done.result.ratios["memory"] > 100


def test_arrays_that_share_memory_share_it_on_the_device():
    data = np.ones(512, "f4")
    sw.launch(SAXPY, "saxpy", 2, 128, [data[:256], data[256:], 3.0, 256])
    assert (data[:256] == 1).all() and (data[256:] == 4).all()
    sw.launch(SAXPY, "saxpy", 2, 128, [data[:256], data[:256], 1.0, 256])
    assert (data[:256] == 2).all()


def test_tensors_of_torch_are_changed_in_place():
    torch = pytest.importorskip("torch")
    x, y = torch.ones(256), torch.arange(256, dtype=torch.float32)
    sw.launch(SAXPY, "saxpy", 2, 128, [x, y, 3.0, 256])
    assert torch.equal(y, torch.arange(256) + 3.0)
    with pytest.raises(sw.UsageError, match="argument 0 is not contiguous"):
        sw.launch(SAXPY, "saxpy", 1, 128, [x[::2], y, 3.0, 128])


def test_a_read_only_array_is_read_but_not_written():
    x, y = arrays()
    x.flags.writeable = False
    before = y.copy()
    sw.launch(SAXPY, "saxpy", 8, 128, [x, y, 2.0, 1000])
    assert not np.array_equal(y, before)
    y.flags.writeable = False
    with pytest.raises(sw.WorkError, match="array 1 is read-only"):
        sw.launch(SAXPY, "saxpy", 8, 128, [x, y, 2.0, 1000])


def test_wrong_arguments_are_refused_with_the_reason():
    x, y = arrays()
    for arguments, words in [
        ([x, y, 2.0], "3 arguments are given, 4 are needed"),
        ([x[::2], y, 2.0, 500], "argument 0 is not contiguous"),
        ([x.astype(">f4"), y, 2.0, 1000], "little-endian"),
        ([x, y, x, 1000], "argument 2: an array is a 64-bit address"),
        ([x, y, 2.0, 1.5], "argument 3: 1.5 is not an integer"),
        ([x, y, 2.0, 1 << 40], "does not fit"),
        ([x, y, 2.0, 1 << 70], "more than 64 bits"),
        ([x, y, 2.0, "n"], "argument 3 is of type str"),
        ([np.array([None]), y, 2.0, 1], "references to objects"),
    ]:
        with pytest.raises(sw.UsageError, match=words):
            sw.launch(SAXPY, "saxpy", 8, 128, arguments)
    with pytest.raises(sw.UsageError, match='unknown kernel "saxpi"'):
        sw.launch(SAXPY, "saxpi", 8, 128, [x, y, 2.0, 1000])
    with pytest.raises(sw.UsageError, match="grid=0"):
        sw.launch(SAXPY, "saxpy", 0, 128, [x, y, 2.0, 1000])
    with pytest.raises(sw.WorkError, match="the PTX has mistakes"):
        sw.launch("this is\nno PTX")


def test_a_fault_shows_its_line_and_the_arrays():
    x, y = arrays(100)
    with pytest.raises(sw.WorkError, match=r"(?s)ld\.global\.f32.*arrays: array 0 \["):
        sw.launch(SAXPY, "saxpy", 8, 128, [x, y, 2.0, 1000])


def test_empty_arrays_and_null_pointers():
    y = np.zeros(0, "f4")
    sw.launch(SAXPY, "saxpy", 1, 32, [None, y, 2.0, 0])


@pytest.mark.parametrize("machine", [{}, {"gpu": "gtx480"}])
def test_ctrl_c_ends_an_endless_kernel(machine):
    def interrupt():
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        sw.launch(ENDLESS, grid=1, block=32, **machine)
    thread.join()


def test_a_limit_ends_an_endless_kernel():
    with pytest.raises(sw.WorkError, match="10000 thread instructions"):
        sw.launch(ENDLESS, grid=1, block=32, max_instructions=10000)
