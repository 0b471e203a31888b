"""Your own kernels on arrays."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Tuple, Union

from . import _native
from ._arrays import as_bytes, element_type, is_torch, torch_bytes, torch_type
from ._codecs import Codec
from ._errors import UsageError
from ._machine import as_gpu, as_scheme
from ._progress import Bar, Progress
from ._simulation import DEFAULT_ENERGY, GpuLike, Result, SchemeLike, read_text

if TYPE_CHECKING:
    from ._typing import PathLike

#: Extents in x, y and z; missing ones are 1.
Extents = Union[int, Sequence[int]]


@dataclass(frozen=True)
class _Machine:
    gpu: str
    scheme: str
    changes: List[str]
    own: Dict[str, Any]
    tables: Dict[str, bytes]
    energy: str
    sample_cycles: Union[int, None]
    verify: bool


@dataclass(frozen=True)
class _Asked:
    ptx: str
    name: str
    kernel: Union[str, None]
    grid: Tuple[int, int, int]
    block: Tuple[int, int, int]
    shared_bytes: int
    arguments: List[Any]
    fills_with_zeros: bool
    max_instructions: Union[int, None]
    machine: Union[_Machine, None]


@dataclass(frozen=True)
class Launched:
    """What a launch did."""

    #: PTX instructions times lanes that executed them.
    thread_instructions: int
    #: PTX instructions issued by warps.
    warp_instructions: int
    #: What device-side ``printf`` wrote.
    printed: str
    #: Cycles, counters, energy and time series; None for a launch without timing.
    result: Union[Result, None]

    @property
    def cycles(self) -> Union[int, None]:
        """Core cycles; None for a launch without timing."""
        return None if self.result is None else self.result.cycles

    def _repr_html_(self) -> Union[str, None]:
        return None if self.result is None else self.result._repr_html_()


def launch(
    ptx: Union[str, PathLike],
    kernel: Union[str, None] = None,
    grid: Extents = 1,
    block: Extents = 1,
    args: Sequence[Any] = (),
    *,
    shared_bytes: int = 0,
    gpu: Union[GpuLike, None] = None,
    scheme: Union[SchemeLike, None] = None,
    tables: Union[Codec, Sequence[Codec], None] = None,
    energy: PathLike = DEFAULT_ENERGY,
    sample_cycles: Union[int, None] = None,
    verify: bool = False,
    max_instructions: Union[int, None] = None,
    progress: Progress = None,
    _fills_with_zeros: bool = False,
) -> Launched:
    """Runs a PTX kernel on arrays, which are afterwards what the kernel made of them.

    ``ptx`` is the text, or a path to a ``.ptx`` file. ``args`` has one entry for each parameter: an array of NumPy or a tensor of
    torch for a pointer (contiguous; arrays that share memory share it on the device, too), None for a null pointer, ``bytes`` for
    a structure, or a number. Without ``gpu`` and ``scheme`` only results are computed; with one of them the launch is simulated
    cycle by cycle. Trained codecs of a scheme are given with ``tables``: ``Codec("e2mc16:ways=4").train(array)``.

    >>> import numpy as np
    >>> import shrinkwarp
    >>> ptx = '''
    ... .version 6.0
    ... .target sm_50
    ... .address_size 64
    ... .visible .entry twice(.param .u64 data)
    ... {
    ...     .reg .b32 %r<3>;
    ...     .reg .b64 %rd<4>;
    ...     ld.param.u64 %rd1, [data];
    ...     mov.u32 %r1, %tid.x;
    ...     mul.wide.u32 %rd2, %r1, 4;
    ...     add.s64 %rd3, %rd1, %rd2;
    ...     ld.global.u32 %r2, [%rd3];
    ...     add.u32 %r2, %r2, %r2;
    ...     st.global.u32 [%rd3], %r2;
    ...     ret;
    ... }'''
    >>> data = np.arange(4, dtype=np.uint32)
    >>> _ = shrinkwarp.launch(ptx, "twice", grid=1, block=4, args=[data])
    >>> data
    array([0, 2, 4, 6], dtype=uint32)
    >>> shrinkwarp.launch(ptx, "twice", 1, 4, [data], gpu="gtx480").cycles > 0
    True
    """
    text, name = _read(ptx)
    machine = None
    if gpu is not None or scheme is not None:
        chosen, simulated = as_scheme(scheme), as_gpu(gpu)
        trained = [tables] if isinstance(tables, Codec) else list(tables or [])
        machine = _Machine(
            gpu=simulated.name,
            scheme=chosen.name,
            changes=simulated.changes + chosen.changes,
            own=chosen.own_codecs,
            tables={codec.spec: codec.tables for codec in trained},
            energy=os.fspath(energy),
            sample_cycles=sample_cycles,
            verify=verify,
        )
    elif verify or sample_cycles is not None or tables is not None:
        raise UsageError("verify, sample_cycles and tables are for simulations; give gpu= or scheme=")
    asked = _Asked(
        ptx=text,
        name=name,
        kernel=kernel,
        grid=_extents("grid", grid),
        block=_extents("block", block),
        shared_bytes=shared_bytes,
        arguments=[_argument(index, value) for index, value in enumerate(args)],
        fills_with_zeros=_fills_with_zeros,
        max_instructions=max_instructions,
        machine=machine,
    )
    with Bar(progress, unit="block") as bar:
        done, printed = _native.launch(asked, bar.callback)
    return _launched(json.loads(done), printed)


def _launched(done: Dict[str, Any], printed: bytes) -> Launched:
    result = None
    if "counters" in done:
        record = {
            "workload": done["launches"][0]["kernel"] if done["launches"] else "",
            "scheme": done["scheme"],
            "gpu": done["gpu"],
            "scale": "",
            "identity": "",
            "overrides": [],
            "outcome": {"done": done},
        }
        result = Result(record)
    text = printed.decode("utf-8", errors="replace")
    return Launched(done["thread_instructions"], done["warp_instructions"], text, result)


def _read(ptx: Union[str, PathLike]) -> Tuple[str, str]:
    """The text of PTX and what messages call it. What has several lines is text, not a path."""
    if isinstance(ptx, str) and "\n" in ptx:
        return ptx, "PTX"
    return read_text(ptx, "a PTX file"), os.fspath(ptx)


def _extents(what: str, extents: Extents) -> Tuple[int, int, int]:
    listed = [extents] if not hasattr(extents, "__iter__") else list(extents)
    if not 1 <= len(listed) <= 3:
        raise UsageError(f"{what} has {len(listed)} extents; give 1 to 3")
    try:
        whole = [int(extent) for extent in listed]
    except (TypeError, ValueError) as error:
        raise UsageError(f"{what}={extents!r}: extents are whole numbers") from error
    if any(not 1 <= extent < 1 << 31 for extent in whole):
        raise UsageError(f"{what}={extents!r}: extents are 1 to 2147483647")
    x, y, z = (*whole, 1, 1)[:3]
    return x, y, z


def _argument(index: int, value: Any) -> Any:
    what = f"argument {index}"
    if value is None:
        return 0
    if is_torch(value):
        if not value.is_contiguous():
            raise UsageError(f"{what} is not contiguous, so it cannot be changed in place; pass tensor.contiguous()")
        torch_type(value, what)
        return torch_bytes(value.detach())
    import numpy as np

    if isinstance(value, np.ndarray):
        element_type(value.dtype, what)
        if not value.dtype.isnative:
            raise UsageError(f"{what} has elements of type {value.dtype}; GPUs are little-endian")
        if not value.flags.c_contiguous:
            message = f"{what} is not contiguous, so it cannot be changed in place; pass numpy.ascontiguousarray(array)"
            raise UsageError(message)
        return as_bytes(value)
    if isinstance(value, np.generic):
        value = value.item() if value.dtype.kind in "biuf" else float(value)
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        raise UsageError(f"{what}: {value} has more than 64 bits")
    if isinstance(value, (int, float, bytes)):
        return value
    raise UsageError(f"{what} is of type {type(value).__name__}; give an array, a number, bytes or None")
