"""Kernels of Triton, compiled without a GPU.

A compiled kernel carries its PTX, its threads and its shared memory, so that a grid and arguments are all that is missing::

    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    source = ASTSource(fn=add, signature={"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"},
                       constexprs={"BLOCK": 256})
    compiled = triton.compile(source, target=GPUTarget("cuda", 80, 32))
    shrinkwarp.triton.run(compiled, (n // 256,), x, y, out, n)
"""

from __future__ import annotations

from typing import Any, Union

from ._errors import UsageError
from ._launch import Extents, Launched, launch

#: Threads of a warp.
_WARP_THREADS = 32


def run(compiled: Any, grid: Extents, *args: Any, **options: Any) -> Launched:
    """Runs a compiled Triton kernel on arrays; ``options`` are those of :func:`shrinkwarp.launch`.

    ``args`` are the kernel's arguments without those that are ``constexpr``: arrays, which are changed in place, and numbers.
    Parameters that Triton adds for itself (scratch memory) are null.
    """
    ptx: Union[str, None] = getattr(compiled, "asm", {}).get("ptx")
    if not ptx:
        raise UsageError("the kernel has no PTX; compile it with triton.compile(..., target=GPUTarget(\"cuda\", 80, 32))")
    metadata = compiled.metadata
    return launch(
        ptx,
        metadata.name,
        grid,
        _WARP_THREADS * metadata.num_warps,
        args,
        shared_bytes=metadata.shared,
        _fills_with_zeros=True,
        **options,
    )
