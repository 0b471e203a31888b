"""Do kernels of Triton, compiled without a GPU, compute what NumPy computes?"""

import numpy as np
import pytest

triton = pytest.importorskip("triton")

import shrinkwarp as sw  # noqa: E402
import shrinkwarp.triton  # noqa: E402
import triton_kernels as kernels  # noqa: E402


def compiled(fn, signature, **constants):
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    types = {**signature, **{name: "constexpr" for name in constants}}
    source = ASTSource(fn=fn, signature=types, constexprs=constants)
    return triton.compile(source, target=GPUTarget("cuda", 80, 32))


MACHINES = [{}, {"scheme": "bdi-memory"}]


@pytest.mark.parametrize("machine", MACHINES)
def test_vector_add(machine):
    kernel = compiled(kernels.add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}, BLOCK=256)
    generator = np.random.default_rng(1)
    x, y = generator.random((2, 1000), dtype=np.float32)
    out = np.zeros(1000, np.float32)
    done = sw.triton.run(kernel, 4, x, y, out, 1000, **machine)
    assert np.array_equal(out, x + y) and (done.result is None) == (not machine)


@pytest.mark.parametrize("machine", MACHINES)
def test_softmax(machine):
    kernel = compiled(kernels.softmax, {"x": "*fp32", "out": "*fp32", "columns": "i32"}, BLOCK=256)
    x = np.random.default_rng(2).normal(size=(16, 200)).astype(np.float32)
    out = np.zeros_like(x)
    sw.triton.run(kernel, 16, x, out, 200, **machine)
    expected = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, expected / expected.sum(axis=1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("machine", MACHINES)
def test_matrix_product(machine):
    signature = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "m": "i32", "n": "i32", "k": "i32"}
    kernel = compiled(kernels.matmul, signature, BLOCK_M=32, BLOCK_N=32, BLOCK_K=32)
    generator = np.random.default_rng(3)
    a = generator.normal(size=(64, 96)).astype(np.float16)
    b = generator.normal(size=(96, 64)).astype(np.float16)
    c = np.zeros((64, 64), np.float32)
    if machine:
        machine = {"gpu": "titan-v" if "titan-v" in sw.gpus() else sw.gpus()[-1], **machine}
    sw.triton.run(kernel, (2, 2), a, b, c, 64, 64, 96, **machine)
    np.testing.assert_allclose(c, a.astype(np.float32) @ b.astype(np.float32), rtol=2e-3, atol=2e-3)


def test_a_kernel_without_ptx_is_refused():
    with pytest.raises(sw.UsageError, match="no PTX"):
        sw.triton.run(object(), 1)
