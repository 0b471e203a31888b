"""Arrays of every kind as bytes, without copies where their memory is contiguous and little-endian."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, NamedTuple, Tuple

from ._errors import UsageError

if TYPE_CHECKING:
    import numpy as np

#: Element types by what NumPy calls them: ours, and how many of ours make one of NumPy's.
_BY_KIND = {
    ("f", 2): ("f16", 1),
    ("f", 4): ("f32", 1),
    ("f", 8): ("f64", 1),
    ("c", 8): ("f32", 2),
    ("c", 16): ("f64", 2),
    ("m", 8): ("i64", 1),
    ("M", 8): ("i64", 1),
    ("b", 1): ("u8", 1),
}

#: Element types of ml_dtypes and torch that NumPy has no name for.
_BY_NAME = {
    "bfloat16": "bf16",
    "float8_e4m3fn": "f8e4m3",
    "float8_e4m3": "f8e4m3",
    "float8_e4m3fnuz": "f8e4m3",
    "float8_e4m3b11fnuz": "f8e4m3",
    "float8_e5m2": "f8e5m2",
    "float8_e5m2fnuz": "f8e5m2",
    "float8_e3m4": "u8",
    "float8_e8m0fnu": "u8",
    # torch has two of them in an element.
    "float4_e2m1fn_x2": "fp4",
}

#: Element types of four bits. ml_dtypes keeps one in a byte; memories, files and codecs have two, the first in the low half.
_BY_NAME_PACKED = {"int4": "int4", "uint4": "uint4", "float4_e2m1fn": "fp4"}


class Flat(NamedTuple):
    """An array as bytes."""

    #: Its bytes, little-endian, as an array of ``uint8`` with one dimension. It shares the array's memory if it can; elements of
    #: four bits are packed.
    data: np.ndarray
    #: Its element type, by the name that the ``shrinkwarp`` command uses.
    dtype: str
    #: Its extents, counted in elements of that type.
    shape: Tuple[int, ...]


def flatten(array: Any, what: str = "the array") -> Flat:
    """The bytes, element type and shape of an array, a tensor, or anything that NumPy can make an array of."""
    if is_torch(array):
        return _flatten_torch(array, what)
    import numpy as np

    found = to_numpy(array)
    packed = _BY_NAME_PACKED.get(found.dtype.name)
    if packed is not None:
        return Flat(_packed(np.ascontiguousarray(found)), packed, found.shape)
    dtype, per_item = element_type(found.dtype, what)
    contiguous = np.ascontiguousarray(found)
    if not found.dtype.isnative and contiguous.dtype.names is None:
        contiguous = contiguous.byteswap()
    shape = found.shape if per_item == 1 else found.shape + (per_item,)
    return Flat(as_bytes(contiguous), dtype, shape)


def to_numpy(array: Any) -> np.ndarray:
    """An array of NumPy with the same elements; bytes become ``uint8``."""
    import numpy as np

    if isinstance(array, (bytes, bytearray)):
        return np.frombuffer(array, dtype=np.uint8)
    try:
        return np.asarray(array)
    except ValueError as error:
        raise UsageError(f"NumPy can make no array of it: {error}") from error


def as_bytes(contiguous: np.ndarray) -> np.ndarray:
    """The memory of a contiguous array as ``uint8``, not copied."""
    import numpy as np

    if contiguous.dtype.itemsize == 0:
        return np.zeros(0, dtype=np.uint8)
    return contiguous.reshape(-1).view(np.uint8)


def from_bytes(data: np.ndarray, dtype: np.dtype, shape: Tuple[int, ...]) -> np.ndarray:
    """The array of which ``flatten`` made these bytes."""
    import numpy as np

    if dtype.itemsize == 0:
        return np.zeros(shape, dtype=dtype)
    if dtype.name in _BY_NAME_PACKED:
        return _unpacked(data, dtype)[: math.prod(shape)].reshape(shape)
    # Numbers are little-endian in blocks; records keep their bytes.
    stored = dtype if dtype.isnative or dtype.names is not None else dtype.newbyteorder("<")
    return data.view(stored).reshape(shape)


def _packed(contiguous: np.ndarray) -> np.ndarray:
    """Elements of four bits, two in a byte; an odd one has zeros beside it."""
    import numpy as np

    halves = as_bytes(contiguous) & np.uint8(0x0F)
    if halves.size % 2:
        halves = np.append(halves, np.uint8(0))
    bytes_: np.ndarray = halves[0::2] | halves[1::2] << np.uint8(4)
    return bytes_


def _unpacked(data: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Two elements of four bits for each byte."""
    import numpy as np

    halves = np.stack([data & np.uint8(0x0F), data >> np.uint8(4)], axis=-1).reshape(-1)
    if dtype.name == "int4":
        # ml_dtypes keeps the sign in the upper half of its byte.
        halves = (halves ^ np.uint8(8)) - np.uint8(8)
    return halves.view(dtype)


def element_type(dtype: np.dtype, what: str) -> Tuple[str, int]:
    """The name of a NumPy element type, and how many of it make one item."""
    known = _BY_NAME.get(dtype.name)
    if known is not None:
        return known, 1
    kind, size = dtype.kind, dtype.itemsize
    if dtype.hasobject or kind in "OT":
        raise UsageError(f"{what} has elements of type {dtype}: references to objects have no bytes to compress")
    if (kind, size) in _BY_KIND:
        return _BY_KIND[kind, size]
    if kind in "iu" and size in (1, 2, 4, 8):
        return f"{kind}{8 * size}", 1
    if kind == "U":
        return "u32", size // 4
    if kind == "V" and dtype.names is None and dtype.name not in ("void", f"void{8 * size}"):
        # An element type of another package, such as int2: several of them may share a byte in memory.
        raise UsageError(f"{what} has elements of type {dtype}, which is not supported here; view it as bytes: .view('uint8')")
    # Text, records and long doubles are bytes.
    return "u8", size


def is_torch(array: Any) -> bool:
    """Whether it is a tensor of torch; torch is not imported to find out."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def _flatten_torch(tensor: Any, what: str) -> Flat:
    dtype = torch_type(tensor, what)
    resolved = tensor.detach().resolve_conj().resolve_neg()
    shape = tuple(tensor.shape) + ((2,) if tensor.is_complex() else ())
    if dtype == "fp4":
        shape = (*shape, 2)
    return Flat(torch_bytes(resolved.contiguous()), dtype, shape)


def torch_bytes(contiguous: Any) -> np.ndarray:
    """The memory of a contiguous tensor in host memory as ``uint8``, not copied."""
    import torch

    # One element, or none, is contiguous whatever its stride says, which a view as bytes does not accept.
    flat: np.ndarray = contiguous.as_strided((contiguous.numel(),), (1,)).view(torch.uint8).numpy()
    return flat


def torch_type(tensor: Any, what: str) -> str:
    """The name of a tensor's element type; refuses tensors that are not plain numbers in host memory."""
    import torch

    if tensor.layout != torch.strided:
        raise UsageError(f"{what} is a tensor of layout {tensor.layout}; convert it with .to_dense()")
    if tensor.is_quantized:
        raise UsageError(f"{what} is a quantized tensor; give its integers with .int_repr() or its values with .dequantize()")
    if tensor.device.type != "cpu":
        raise UsageError(f"{what} is on the device {tensor.device}; copy it to host memory with .cpu()")
    name = str(tensor.dtype).replace("torch.", "")
    if name in _BY_NAME:
        return _BY_NAME[name]
    sample = torch.empty(0, dtype=tensor.dtype)
    try:
        return element_type(sample.numpy().dtype, what)[0]
    except TypeError as error:
        message = f"{what} has elements of type {tensor.dtype}, which is not supported; view it as bytes: .view(torch.uint8)"
        raise UsageError(message) from error
