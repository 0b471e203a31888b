"""Simulations of workloads: results from the store where they are kept, simulated otherwise."""

from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Sequence, Tuple, Union, overload

from . import _native
from ._analysis import framed
from ._errors import UsageError, WorkError
from ._machine import Gpu, Scheme, as_gpu, as_scheme
from ._progress import Bar, Progress

if TYPE_CHECKING:
    import numpy as np
    import pandas

    from ._typing import PathLike

GpuLike = Union[str, Gpu, Mapping[str, Any]]
SchemeLike = Union[str, Scheme, Mapping[str, Any]]

#: The energy set that is used unless another is named.
DEFAULT_ENERGY = "gpu"


@dataclass(frozen=True)
class _Keeping:
    store: Union[str, None]
    threads: Union[int, None]
    fresh: bool
    retry_failed: bool


def read_text(path: PathLike, what: str) -> str:
    """The text of a file, which should be of this kind."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise UsageError(f"{os.fspath(path)}: byte {error.start} is not UTF-8 text; is this {what}?") from error


def _path(path: Union[PathLike, None]) -> Union[str, None]:
    return None if path is None else os.fspath(path)


def _asked(workload: str, gpu: Gpu, scheme: Scheme, options: Mapping[str, Any]) -> str:
    return json.dumps(
        {
            "workload": str(workload),
            "gpu": gpu.name,
            "scheme": scheme.name,
            "scheme_label": scheme._label,
            "changes": gpu.changes + scheme.changes,
            **options,
        }
    )


def _options(
    scale: str = "small",
    seed: int = 1,
    data: Union[str, None] = None,
    input: Union[PathLike, None] = None,
    energy: PathLike = DEFAULT_ENERGY,
    sample_cycles: Union[int, None] = None,
    tables: Union[PathLike, None] = None,
    verify: bool = False,
    approximate_bits: Union[int, None] = None,
) -> Dict[str, Any]:
    return {
        "scale": scale,
        "seed": seed,
        "data": data,
        "input": _path(input),
        "energy": os.fspath(energy),
        "sample_cycles": sample_cycles,
        "tables": _path(tables),
        "verify": verify,
        "approximate_bits": approximate_bits,
    }


def run(
    workload: str,
    *,
    gpu: Union[GpuLike, None] = None,
    scheme: Union[SchemeLike, None] = None,
    scale: str = "small",
    seed: int = 1,
    data: Union[str, None] = None,
    input: Union[PathLike, None] = None,
    energy: PathLike = DEFAULT_ENERGY,
    sample_cycles: Union[int, None] = None,
    tables: Union[PathLike, None] = None,
    verify: bool = False,
    approximate_bits: Union[int, None] = None,
    store: Union[PathLike, None] = None,
    fresh: bool = False,
    progress: Progress = None,
) -> Result:
    """One simulation of a workload.

    A run that is in the store is not run again unless ``fresh``; ``store`` is a path, ``"none"``, or by default the command's own.
    The other arguments mean what the options of ``shrinkwarp run`` mean.

    >>> import shrinkwarp
    >>> result = shrinkwarp.run("histogram", scheme="dsm", scale="tiny", store="none")
    >>> result.cycles == result["core_cycles"]
    True
    >>> result.ratios["packets"] > 1
    True
    """
    options = _options(scale, seed, data, input, energy, sample_cycles, tables, verify, approximate_bits)
    chosen = as_scheme(scheme)
    asked = _asked(workload, as_gpu(gpu), chosen, options)
    keeping = _Keeping(_path(store), None, fresh, True)
    with Bar(progress, unit="block") as bar:
        record = _native.run_one(asked, chosen.own_codecs, keeping, bar.callback)
    return Result(json.loads(record))


def identity(
    workload: str, *, gpu: Union[GpuLike, None] = None, scheme: Union[SchemeLike, None] = None, **options: Any
) -> str:
    """The name under which the store keeps a run: the same for the command and for this package.

    >>> import shrinkwarp
    >>> len(shrinkwarp.identity("kmeans", scheme="latte", scale="tiny"))
    64
    """
    chosen = as_scheme(scheme)
    if chosen.own_codecs:
        raise UsageError("a run with a codec of your own has no identity: it is not kept")
    return _native.identity(_asked(workload, as_gpu(gpu), chosen, _options(**options)))


def compare(
    workloads: Union[str, Sequence[str]],
    schemes: Union[SchemeLike, Sequence[SchemeLike]],
    *,
    gpu: Union[GpuLike, None] = None,
    scale: str = "small",
    seed: int = 1,
    data: Union[str, None] = None,
    energy: PathLike = DEFAULT_ENERGY,
    store: Union[PathLike, None] = None,
    threads: Union[int, None] = None,
    fresh: bool = False,
    retry_failed: bool = False,
    progress: Progress = None,
) -> Comparison:
    """Schemes relative to a baseline, which is the first of them, on workloads or groups of them.

    >>> import shrinkwarp
    >>> found = shrinkwarp.compare(["histogram"], ["none", "dsm"], scale="tiny", store="none")
    >>> found.speedup("histogram", "dsm") > 0.5
    True
    """
    names = _native.workload_names([workloads] if isinstance(workloads, str) else list(workloads))
    listed = [schemes] if isinstance(schemes, (str, Scheme, Mapping)) else list(schemes)
    if not names or not listed:
        raise UsageError("there is nothing to compare: give one workload and one scheme at least")
    chosen = [as_scheme(scheme) for scheme in listed]
    if len(chosen) == 1 and (chosen[0].name, chosen[0].changes) != ("none", []):
        # One scheme alone is compared with no compression.
        chosen.insert(0, Scheme("none"))
    own = _own_codecs(chosen)
    machine, options = as_gpu(gpu), _options(scale, seed, data, energy=energy)
    asked = [_asked(name, machine, scheme, options) for name in names for scheme in chosen]
    keeping = _Keeping(_path(store), threads, fresh, retry_failed)
    with Bar(progress, unit="run") as bar:
        native, records = _native.compare(asked, len(chosen), own, keeping, bar.callback)
    return Comparison(native, [json.loads(record) for record in records])


def sweep(
    axes: Union[Mapping[str, Any], PathLike],
    *,
    keep: Sequence[Mapping[str, Any]] = (),
    skip: Sequence[Mapping[str, Any]] = (),
    store: Union[PathLike, None] = None,
    threads: Union[int, None] = None,
    fresh: bool = False,
    retry_failed: bool = False,
    progress: Progress = None,
    **shared: Any,
) -> Results:
    """Every combination of values: of ``workload``, ``scheme``, ``scale``, ``seed``, ``data``, ``gpu`` and configuration keys.

    ``axes`` has a list of values for each, or is a path to a sweep file. What all runs share (``scale``, ``seed``, ``gpu``,
    ``scheme``, ``data``, ``energy``, ``sample_cycles``) is given by keyword; ``keep`` and ``skip`` choose combinations. The runs
    are those of ``shrinkwarp sweep`` and are kept in the same store.

    >>> import shrinkwarp
    >>> results = shrinkwarp.sweep(
    ...     {"workload": ["histogram"], "l1.size_kib": [16, 48]}, scale="tiny", store="none"
    ... )
    >>> [result.overrides for result in results]
    [['l1.size_kib=16'], ['l1.size_kib=48']]
    """
    if isinstance(axes, Mapping):
        description = _sweep_text(axes, keep, skip, shared)
    elif keep or skip or shared:
        raise UsageError("a sweep file says itself what its runs share and which are left out")
    else:
        description = read_text(axes, "a sweep file")
    keeping = _Keeping(_path(store), threads, fresh, retry_failed)
    with Bar(progress, unit="run") as bar:
        records = _native.sweep(description, keeping, bar.callback)
    return Results([Result(json.loads(record)) for record in records])


def results(
    *,
    workload: Union[str, None] = None,
    scheme: Union[str, None] = None,
    gpu: Union[str, None] = None,
    scale: Union[str, None] = None,
    limit: Union[int, None] = None,
    store: Union[PathLike, None] = None,
) -> Results:
    """The results in a store that have these values, newest first.

    >>> import os, tempfile
    >>> import shrinkwarp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = os.path.join(folder, "runs.sqlite")
    ...     made = shrinkwarp.run("histogram", scale="tiny", store=store)
    ...     [found] = shrinkwarp.results(workload="histogram", store=store)
    >>> found.identity == made.identity and found.counters == made.counters
    True
    """
    records = _native.stored(_path(store), workload, scheme, gpu, scale, limit)
    return Results([Result(json.loads(record)) for record in records])


class Result:
    """What came out of a simulation: cycles, counters, energy, time series."""

    def __init__(self, record: Dict[str, Any]) -> None:
        self._record = record
        #: The workload, or the kernel.
        self.workload = str(record["workload"])
        #: The scheme's name.
        self.scheme = str(record["scheme"])
        #: The GPU's name.
        self.gpu = str(record["gpu"])
        #: The size of the input; empty for a kernel of one's own.
        self.scale = str(record["scale"])
        #: What the store calls the run; empty for a run that is not kept.
        self.identity = str(record["identity"])
        #: The changes of the GPU and of the scheme, as ``key=value``.
        self.overrides: List[str] = list(record["overrides"])
        outcome = record["outcome"]
        self._done: Union[Dict[str, Any], None] = outcome.get("done")
        #: Why the run failed; None if it did not.
        self.error: Union[str, None] = outcome.get("failed")

    @property
    def _result(self) -> Dict[str, Any]:
        if self._done is None:
            raise WorkError(f"{self.workload} {self.scheme} failed: {self.error}")
        return self._done

    @property
    def cycles(self) -> int:
        """Core cycles of all launches."""
        return int(self._result["cycles"])

    @property
    def thread_instructions(self) -> int:
        """PTX instructions times lanes that executed them."""
        return int(self._result["thread_instructions"])

    @property
    def ipc(self) -> float:
        """Thread instructions in a core cycle."""
        return self.thread_instructions / max(self.cycles, 1)

    @property
    def launches(self) -> List[Dict[str, Any]]:
        """Kernel, cycles and instructions of each launch."""
        return list(self._result["launches"])

    @property
    def counters(self) -> Dict[str, float]:
        """Everything counted, by flat names such as ``memory.dram.activates``; ``derived.*`` are rates and ratios."""
        return dict(self._result["counters"])

    @property
    def energy(self) -> Dict[str, float]:
        """Joules of each part of the GPU."""
        prefix = "energy.parts."
        return {name[len(prefix) :]: joules for name, joules in self.counters.items() if name.startswith(prefix)}

    @property
    def energy_j(self) -> float:
        """Joules of the whole run."""
        return float(self["energy.total_j"])

    @property
    def seconds(self) -> float:
        """Simulated time."""
        return float(self["derived.seconds"])

    @property
    def ratios(self) -> Dict[str, float]:
        """Raw over encoded bits at each point that has a codec."""
        prefix = "derived.ratio."
        return {name[len(prefix) :]: ratio for name, ratio in self.counters.items() if name.startswith(prefix)}

    @property
    def series(self) -> Dict[str, np.ndarray]:
        """The time series, if ``sample_cycles`` asked for one: an array for each column, NaN where a sample has no value."""
        import numpy as np

        return {name: np.array(column, dtype=np.float64) for name, column in self._result["series"].items()}

    def __getitem__(self, counter: str) -> float:
        """A counter by its name; the nearest names are in the error of a wrong one."""
        try:
            return float(self._result["counters"][counter])
        except KeyError:
            import difflib

            near = difflib.get_close_matches(counter, self._result["counters"], n=3)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise KeyError(f"no counter {counter!r}{hint}") from None

    def to_dict(self) -> Dict[str, Any]:
        """Everything that is kept of the run."""
        copy: Dict[str, Any] = json.loads(json.dumps(self._record))
        return copy

    def row(self, counters: bool = True) -> Dict[str, Any]:
        """The run as a row of a table: what was run, changes of the GPU by key, and its numbers."""
        keys = ("workload", "scale", "seed", "data", "gpu", "scheme")
        row = {key: self._record[key] for key in keys if key in self._record}
        for change in self._record.get("overrides", []):
            key, _, value = change.partition("=")
            row[key] = _number(value)
        if self._done is None:
            return {**row, "error": self.error}
        row.update(cycles=self.cycles, thread_instructions=self.thread_instructions, ipc=self.ipc, energy_j=self.energy_j)
        if counters:
            row.update(self.counters)
        return row

    def _summary(self) -> List[Tuple[str, str]]:
        if self._done is None:
            return [("failed", str(self.error))]
        shown = [
            ("cycles", f"{self.cycles:,}"),
            ("thread instructions", f"{self.thread_instructions:,}"),
            ("IPC", f"{self.ipc:.1f}"),
            ("L1 hits", f"{100 * self['derived.l1_hit_share']:.1f} %"),
            ("L2 hits", f"{100 * self['derived.l2_hit_share']:.1f} %"),
            ("DRAM", f"{self['derived.dram_bytes'] / 1e6:.2f} MB"),
            ("energy", f"{1e3 * self.energy_j:.3f} mJ"),
        ]
        return shown + [(f"ratio, {point}", f"{ratio:.2f}") for point, ratio in self.ratios.items()]

    def _title(self) -> str:
        return " ".join([f"{self.workload} on {self.gpu}, {self.scheme}", *self.overrides])

    def __repr__(self) -> str:
        lines = [self._title(), *(f"  {name:<22}{value}" for name, value in self._summary())]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>"
            for name, value in self._summary()
        )
        return f"<table><caption>{html.escape(self._title())}</caption>{rows}</table>"


class Results(Sequence[Result]):
    """Results in order; ``to_frame`` makes a data frame of them."""

    def __init__(self, items: Sequence[Result]) -> None:
        self._items = list(items)

    @overload
    def __getitem__(self, index: int) -> Result: ...

    @overload
    def __getitem__(self, index: slice) -> Results: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Result, Results]:
        if isinstance(index, slice):
            return Results(self._items[index])
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Result]:
        return iter(self._items)

    def to_frame(self, counters: bool = True) -> pandas.DataFrame:
        """One row for each run. Needs pandas."""
        import pandas

        return pandas.DataFrame([item.row(counters) for item in self._items])

    def _rows(self) -> Tuple[List[str], List[List[str]]]:
        rows = [item.row(counters=False) for item in self._items]
        columns = list(dict.fromkeys(key for row in rows for key in row))
        return columns, [[_shown(row.get(column)) for column in columns] for row in rows]

    def __repr__(self) -> str:
        columns, rows = self._rows()
        widths = [max(len(row[index]) for row in [columns, *rows]) for index in range(len(columns))]
        lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths)) for row in [columns, *rows]]
        return "\n".join(line.rstrip() for line in lines) if rows else "no results"

    def _repr_html_(self) -> str:
        columns, rows = self._rows()
        head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        return f"<table><tr>{head}</tr>{body}</table>"


class Comparison:
    """Schemes relative to a baseline. It prints as the command's table and draws itself in a notebook."""

    def __init__(self, native: _native.Comparison, records: Sequence[Dict[str, Any]]) -> None:
        self._native = native
        #: The runs, all schemes of a workload, then those of the next.
        self.results = Results([Result(record) for record in records])
        #: Everything, as ``shrinkwarp compare --json`` has it.
        self.json: Dict[str, Any] = json.loads(native.json())

    def speedup(self, workload: str, scheme: str) -> float:
        """The baseline's cycles over those of a scheme."""
        for row in self.json["workloads"]:
            for cell in row["schemes"]:
                if (row["workload"], cell["scheme"]) == (workload, scheme):
                    if cell.get("relative") is None:
                        raise WorkError(f"{workload} {scheme}: {cell.get('error', 'the baseline failed')}")
                    return float(cell["relative"]["speedup"])
        known = ", ".join(mean["scheme"] for mean in self.json["geometric_means"])
        raise UsageError(f"there is no {workload!r} with {scheme!r} (schemes: {known})")

    def to_frame(self) -> pandas.DataFrame:
        """One row for each workload and scheme, relative numbers first. Needs pandas."""
        import pandas

        rows = []
        for row in self.json["workloads"]:
            for cell in row["schemes"]:
                relative = dict(cell.get("relative") or {})
                relative.pop("ratios", None)
                metrics = dict(cell.get("metrics") or {})
                for name in ("ratios", "energy_parts", "error"):
                    metrics.pop(name, None)
                renamed = {f"relative_{name}" if name in metrics else name: value for name, value in relative.items()}
                rows.append({"workload": row["workload"], "scheme": cell["scheme"], **renamed, **metrics})
        for row, result in zip(rows, self.results):
            if result.error is None:
                row.update({f"ratio_{point}": ratio for point, ratio in result.ratios.items()})
        return pandas.DataFrame(rows)

    def html(self) -> str:
        """A page of its own, with charts."""
        return self._native.html()

    def __str__(self) -> str:
        return self._native.text().rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return framed(self.html())


def _own_codecs(schemes: Sequence[Scheme]) -> Dict[str, Any]:
    """The codecs of one's own in these schemes, by name."""
    own: Dict[str, Any] = {}
    for scheme in schemes:
        for name, codec in scheme.own_codecs.items():
            if own.setdefault(name, codec) is not codec:
                message = f"two schemes have different codecs called {name}; give the classes different names"
                raise UsageError(message)
    return own


def _sweep_text(
    axes: Mapping[str, Any], keep: Sequence[Mapping[str, Any]], skip: Sequence[Mapping[str, Any]], shared: Mapping[str, Any]
) -> str:
    """The text of the sweep file that says the same."""
    text = "[run]\n" + _section(shared) + "[axes]\n" + _section(axes)
    for name, filters in (("keep", keep), ("skip", skip)):
        text += "".join(f"[[{name}]]\n{_section(each)}" for each in filters)
    return text


def _section(table: Mapping[str, Any]) -> str:
    return "".join(f"{json.dumps(str(key))} = {_sweep_value(value)}\n" for key, value in table.items())


def _sweep_value(value: Any) -> str:
    if isinstance(value, (Gpu, Scheme)):
        if value.changes:
            raise UsageError(f"{value!r}: in a sweep, changes are axes of their own, such as \"scheme.memory.codec\"")
        return json.dumps(value.name)
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        plain = value.item() if hasattr(value, "item") else value
        if isinstance(plain, bool):
            return "true" if plain else "false"
        return repr(plain) if isinstance(plain, (int, float)) else json.dumps(str(plain))
    return "[" + ", ".join(_sweep_value(item) for item in value) + "]"


def _number(text: str) -> Union[int, float, str]:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
