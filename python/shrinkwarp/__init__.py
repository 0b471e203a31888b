"""See what memory compression would do for a GPU workload.

>>> import numpy as np
>>> import shrinkwarp as sw
>>> sw.Codec("bpc").size_bits(np.arange(32, dtype=np.int32)).item() < 100
True

| what                                   | for                                                           |
|----------------------------------------|---------------------------------------------------------------|
| `Codec`, `codecs`                      | block codecs on arrays                                        |
| `analyze`                              | which codec shrinks arrays, dictionaries of them, or files    |
| `Gpu`, `Scheme`, `run`, `compare`, `sweep` | simulations of workloads, kept in the command's store     |
| `launch`, `shrinkwarp.triton`          | your own PTX and Triton kernels on arrays                     |

Arrays are shared with the native part: leave them alone while a call works on them.
"""

from ._analysis import Analysis, analyze
from ._codecs import Codec, CodecInfo, Encoded, codecs
from ._errors import ShrinkwarpError, UsageError, WorkError
from ._launch import Launched, launch
from ._machine import Gpu, Scheme, gpus, schemes, workloads
from ._simulation import Comparison, Result, Results, compare, identity, results, run, sweep

__all__ = [
    "Analysis",
    "Codec",
    "CodecInfo",
    "Comparison",
    "Encoded",
    "Gpu",
    "Launched",
    "Result",
    "Results",
    "Scheme",
    "ShrinkwarpError",
    "UsageError",
    "WorkError",
    "analyze",
    "codecs",
    "compare",
    "gpus",
    "identity",
    "launch",
    "results",
    "run",
    "schemes",
    "sweep",
    "workloads",
]
