"""GPUs and compression schemes by name, with changes."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, NamedTuple, Tuple, Union

from . import _native
from ._errors import UsageError

#: What a scheme calls a codec that is an object of Python.
OWN = "own:"


class Named(NamedTuple):
    """Something of the program with its description."""

    name: str
    description: str


def gpus() -> List[str]:
    """Names of the GPUs that are part of the package.

    >>> import shrinkwarp
    >>> "gtx480" in shrinkwarp.gpus()
    True
    """
    return _native.gpu_list()


def schemes() -> List[Named]:
    """The compression schemes that are part of the package.

    >>> import shrinkwarp
    >>> shrinkwarp.schemes()[0]
    Named(name='none', description='no compression')
    """
    return [Named(name, description) for name, description in _native.scheme_list()]


def workloads() -> Dict[str, List[str]]:
    """The workloads and the data sets of each, the default first.

    >>> import shrinkwarp
    >>> "kmeans" in shrinkwarp.workloads()
    True
    """
    return {entry["name"]: entry["data_sets"] for entry in json.loads(_native.workload_list())}


class _Configured:
    """A preset or a file, with changes of single keys."""

    #: Whether this is a scheme, whose changes have a prefix among those of a run.
    _prefix = ""

    def __init__(self, name: Union[str, Mapping[str, Any]], changes: Mapping[str, Any]) -> None:
        self._label: Union[str, None] = None
        own: Dict[str, Any] = {}
        settings: Dict[str, Any] = {}
        if isinstance(name, Mapping):
            described = dict(name)
            self._label = described.pop("name", None)
            described.pop("description", None)
            name = described.pop("based_on", self._base())
            settings.update(_leaves(described, ""))
        settings.update({key.replace("__", "."): value for key, value in changes.items()})
        self.name = str(name)
        self.changes: List[str] = []
        for key, value in settings.items():
            self.changes.append(f"{self._prefix}{key}={_toml(value, own)}")
        self._own = own
        self._keys: Dict[str, Any] = json.loads(self._read())

    def _base(self) -> str:
        raise NotImplementedError

    def _read(self) -> str:
        raise NotImplementedError

    def to_dict(self) -> Dict[str, Any]:
        """Every key with its value, by section."""
        copy: Dict[str, Any] = json.loads(json.dumps(self._keys))
        return copy

    def __getitem__(self, key: str) -> Any:
        """The value of ``section.key``."""
        value: Any = self._keys
        for part in key.replace("__", ".").split("."):
            if not isinstance(value, dict) or part not in value:
                raise KeyError(key)
            value = value[part]
        return value

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.changes)))

    def __repr__(self) -> str:
        changes = "".join(f", {change}" for change in self.changes)
        return f"{type(self).__name__}({self.name!r}{changes})"

    def __str__(self) -> str:
        return self._label or " ".join([self.name, *self.changes])


class Gpu(_Configured):
    """A GPU: a preset or a ``.toml`` file, with changes of single keys, two underscores for the dot.

    >>> from shrinkwarp import Gpu
    >>> gpu = Gpu("gtx480", l1__size_kib=48)
    >>> gpu["l1.size_kib"]
    48
    """

    def __init__(self, name: Union[str, Mapping[str, Any]] = "gtx480", **changes: Any) -> None:
        super().__init__(name, changes)
        if self._own:
            raise UsageError("a GPU has no codecs; give them to a Scheme")

    def _base(self) -> str:
        return "gtx480"

    def _read(self) -> str:
        return _native.gpu_json(self.name, self.changes)


class Scheme(_Configured):
    """A compression scheme: a preset, a ``.toml`` file or a dictionary, with changes of single keys.

    A codec may be an object of Python with a method ``size_bits(block)`` that says to how many bits it would compress a block
    of 128 ``bytes``. Its attributes ``compress_cycles``, ``decompress_cycles``, ``compress_pj`` and ``decompress_pj`` are 0 unless
    it has them. The simulator asks it for every block that passes, so this is slow, and results are not kept in the store.

    >>> from shrinkwarp import Scheme
    >>> Scheme("none", packets__codec="bpc")["packets.codec"]
    'bpc'
    >>> Scheme({"name": "mine", "based_on": "none", "memory": {"codec": "bdi"}})["memory.codec"]
    'bdi'
    >>> class Halves:
    ...     compress_cycles = 4
    ...     def size_bits(self, block):
    ...         return 512 if block[:64] == block[64:] else 1024
    >>> Scheme("none", memory__codec=Halves())["memory.codec"]
    'own:Halves'
    """

    _prefix = "scheme."

    def __init__(self, name: Union[str, Mapping[str, Any]] = "none", **changes: Any) -> None:
        super().__init__(name, changes)

    def _base(self) -> str:
        return "none"

    def _read(self) -> str:
        return _native.scheme_json(self.name, self.changes)

    @property
    def own_codecs(self) -> Dict[str, Any]:
        """The codecs that are objects of Python, by name."""
        return dict(self._own)


def as_gpu(gpu: Union[str, Gpu, Mapping[str, Any], None]) -> Gpu:
    """A GPU, given one or what names one."""
    return gpu if isinstance(gpu, Gpu) else Gpu("gtx480" if gpu is None else gpu)


def as_scheme(scheme: Union[str, Scheme, Mapping[str, Any], None]) -> Scheme:
    """A scheme, given one or what names one."""
    return scheme if isinstance(scheme, Scheme) else Scheme("none" if scheme is None else scheme)


def _leaves(table: Mapping[str, Any], prefix: str) -> List[Tuple[str, Any]]:
    found: List[Tuple[str, Any]] = []
    for key, value in table.items():
        if isinstance(value, Mapping):
            found.extend(_leaves(value, f"{prefix}{key}."))
        else:
            found.append((f"{prefix}{key}", value))
    return found


def _toml(value: Any, own: Dict[str, Any]) -> str:
    """A value as a configuration file writes it; codecs that are objects get a name."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item, own) for item in value) + "]"
    if hasattr(value, "size_bits"):
        if isinstance(value, type):
            raise UsageError(f"{value.__name__} is a class; give an object of it: {value.__name__}()")
        return json.dumps(OWN + _own_name(value, own))
    if hasattr(value, "tolist"):
        plain = value.tolist()
        # A long double is its own plain value.
        return _toml(str(plain) if hasattr(plain, "tolist") else plain, own)
    if isinstance(value, (int, float)):
        return repr(value)
    return json.dumps(str(value))


def _own_name(codec: Any, own: Dict[str, Any]) -> str:
    base = type(codec).__name__
    name, count = base, 1
    while name in own and own[name] is not codec:
        count += 1
        name = f"{base}-{count}"
    own[name] = codec
    return name
