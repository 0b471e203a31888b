"""Which codec would shrink data, and by how much."""

from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Sequence, Tuple, Union

from . import _native
from ._arrays import Flat, flatten
from ._errors import UsageError
from ._progress import Bar, Progress

if TYPE_CHECKING:
    import pandas

    from ._typing import ArrayLike, PathLike

GIB = 1 << 30


@dataclass(frozen=True)
class _Options:
    block_bytes: int
    codecs: List[str]
    train: str
    approximate_bits: Union[int, None]
    with_planes: bool


def analyze(
    data: Union[ArrayLike, Mapping[str, ArrayLike], PathLike],
    *,
    codecs: Union[Sequence[str], None] = None,
    block_bytes: int = 128,
    train: str = "all",
    approximate_bits: Union[int, None] = None,
    planes: bool = False,
    dtype: Union[str, None] = None,
    name: str = "data",
    expand_limit_gib: int = 64,
    progress: Progress = None,
) -> Analysis:
    """How well each codec shrinks an array, a dictionary of arrays (a state dict of torch), or files.

    ``data`` may be a path to a ``.npy``, ``.npz`` or ``.safetensors`` file, to a folder of them, or to a raw file whose element
    type ``dtype`` says. Arrays are not copied if they are contiguous. ``train`` is the part of each tensor that trained codecs
    learn from (``"all"`` or ``"10%"``); ``approximate_bits`` also tries every codec after clearing that number of low mantissa
    bits; ``planes`` collects the bit-plane pictures of the HTML page.

    >>> import numpy as np
    >>> import shrinkwarp
    >>> found = shrinkwarp.analyze(np.arange(4096, dtype=np.int32), codecs=["bpc", "bdi"])
    >>> found.best
    'bpc'
    >>> round(found.rows[0]["raw_ratio"], 1) > 10
    True
    """
    chosen = [codecs] if isinstance(codecs, str) else list(codecs or [])
    options = _Options(block_bytes, chosen, train, approximate_bits, planes)
    with Bar(progress, unit="B", scale=True) as bar:
        if isinstance(data, (str, os.PathLike)):
            report = _native.analyze_files(
                [os.fspath(data)], dtype, expand_limit_gib * GIB, options, bar.callback
            )
        else:
            arrays = [
                (label, flat.dtype, list(flat.shape), flat.data) for label, flat in _named_arrays(data)
            ]
            report = _native.analyze_arrays(name, arrays, options, bar.callback)
    return Analysis(report)


def _named_arrays(data: Any) -> List[Tuple[str, Flat]]:
    if not isinstance(data, Mapping):
        return [("", flatten(data))]
    if not data:
        raise UsageError("the dictionary has no arrays")
    return list(_entries(data, ""))


def _entries(data: Mapping[Any, Any], prefix: str) -> Iterable[Tuple[str, Flat]]:
    """The arrays of a dictionary, those of inner dictionaries under joined names."""
    for key, value in data.items():
        label = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _entries(value, f"{label}.")
        else:
            yield label, flatten(value, label)


class Analysis:
    """What an analysis found. It prints as the command's table and draws itself in a notebook."""

    def __init__(self, report: _native.Report) -> None:
        self._report = report
        self._json: Union[Dict[str, Any], None] = None

    @property
    def json(self) -> Dict[str, Any]:
        """Everything, as ``shrinkwarp analyze --json`` has it."""
        if self._json is None:
            self._json = json.loads(self._report.json())
        return self._json

    @property
    def rows(self) -> List[Dict[str, Any]]:
        """One row for each codec: its results over all data, as the command ranks them."""
        rows = [row for row in self.json["total"]]
        return sorted(rows, key=lambda row: -row["mag32_ratio"])

    @property
    def best(self) -> Union[str, None]:
        """The codec that fetches the fewest bytes; None where nothing could be compressed."""
        best = self.json["best"]
        return best["codec"] if best else None

    @property
    def is_worthwhile(self) -> bool:
        """Whether the best codec saves 5 % of the bytes fetched or more."""
        best = self.json["best"]
        return bool(best and best["worthwhile"])

    def best_at(self, place: str) -> Union[str, None]:
        """The codec that saves the most at a place: ``"bursts"``, ``"flits"`` or ``"capacity"``; None where it is not worth it.

        >>> import numpy as np
        >>> import shrinkwarp
        >>> shrinkwarp.analyze(np.zeros(4096, dtype=np.int32), codecs=["zero"]).best_at("capacity")
        'zero'
        """
        places = self.json["best_at"]
        if place not in places:
            raise UsageError(f"unknown place {place!r} (known: {', '.join(places)})")
        best = places[place]
        return best["codec"] if best and best["worthwhile"] else None

    def table(self, each: bool = False) -> str:
        """The command's table; with ``each``, one for every tensor as well."""
        return self._report.table(each)

    def csv(self) -> str:
        """One line for each tensor and codec."""
        return self._report.csv()

    def html(self) -> str:
        """A page of its own, with charts."""
        return self._report.html()

    def to_frame(self) -> pandas.DataFrame:
        """One row for each tensor and codec. Needs pandas."""
        import pandas

        rows = [
            {
                "input": source["input"],
                "tensor": tensor["tensor"],
                "dtype": tensor["dtype"],
                "shape": tuple(tensor["shape"]),
                "bytes": tensor["bytes"],
                **result,
            }
            for source in self.json["inputs"]
            for tensor in source["tensors"]
            for result in tensor["codecs"]
        ]
        return pandas.DataFrame(rows)

    def __str__(self) -> str:
        return self.table().rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return framed(self.html())


def framed(page: str, height_pixels: int = 640) -> str:
    """A whole page inside a notebook, where its style touches nothing else."""
    return (
        f'<iframe srcdoc="{html.escape(page, quote=True)}" '
        f'style="width:100%;height:{height_pixels}px;border:0"></iframe>'
    )
