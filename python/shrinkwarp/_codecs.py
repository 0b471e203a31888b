"""Block codecs on arrays."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Dict, List, Tuple, Union

from . import _native
from ._arrays import flatten, from_bytes, is_torch, to_numpy
from ._errors import UsageError

if TYPE_CHECKING:
    import numpy as np

    from ._typing import ArrayLike


@dataclass(frozen=True)
class CodecInfo:
    """What is known of a codec."""

    #: Its name.
    name: str
    #: What it does and where it was published.
    summary: str
    #: Block sizes that its format allows.
    block_bytes: Tuple[int, ...]
    #: Whether it must be trained.
    trained: bool
    #: Allowed values of each parameter; the first is the default.
    parameters: Dict[str, Tuple[int, ...]]


def codecs() -> List[CodecInfo]:
    """Every codec of the library.

    >>> import shrinkwarp
    >>> [codec.name for codec in shrinkwarp.codecs() if codec.trained][:2]
    ['bpc-trained', 'sc']
    """
    return [
        CodecInfo(
            name=entry["name"],
            summary=entry["summary"],
            block_bytes=tuple(entry["block_bytes"]),
            trained=entry["trained"],
            parameters={each["key"]: tuple(each["allowed"]) for each in entry["parameters"]},
        )
        for entry in json.loads(_native.codec_list())
    ]


class Codec:
    """A block codec with its parameters.

    Blocks have 128 bytes unless ``block_bytes`` says 32 or 64. An array is cut into blocks from its first byte; what is
    left at its end and fills no block is kept as it is. Parameters are written in the name or given by keyword.

    >>> import numpy as np
    >>> from shrinkwarp import Codec
    >>> codec = Codec("bdi")
    >>> codec.size_bits(np.arange(64, dtype=np.uint32))      # two blocks of 1024 bits
    array([324, 324], dtype=uint32)
    >>> Codec("e2mc16", ways=4).spec
    'e2mc16:ways=4'
    """

    def __init__(self, name: str, *, block_bytes: int = 128, tables: Union[bytes, None] = None, **parameters: int) -> None:
        spec = name + "".join(f":{key}={int(value)}" for key, value in parameters.items())
        self._native = _native.Codec(spec, block_bytes)
        if tables is not None:
            self._native = self._native.load(tables)

    @property
    def name(self) -> str:
        """The codec's name without parameters."""
        return self._native.name

    @property
    def spec(self) -> str:
        """The name with the parameters that are not the default, as schemes and the command write it."""
        return self._native.spec

    @property
    def summary(self) -> str:
        """What the codec does and where it was published."""
        return self._native.summary

    @property
    def block_bytes(self) -> int:
        """Bytes of a block."""
        return self._native.block_bytes

    @property
    def parameters(self) -> Dict[str, int]:
        """The value of each parameter."""
        return dict(self._native.parameters)

    @property
    def is_ready(self) -> bool:
        """Whether the codec can be used; one that learns must be trained first."""
        return self._native.is_ready

    @property
    def tables(self) -> bytes:
        """What the codec has learnt, to be given to ``Codec(..., tables=...)``; empty for one that does not learn."""
        return bytes(self._native.tables())

    def train(self, *samples: ArrayLike) -> Codec:
        """A codec that has learnt from these arrays. The codec itself stays as it is.

        >>> import numpy as np
        >>> data = np.repeat(np.arange(8, dtype=np.uint16), 64)
        >>> trained = Codec("e2mc16").train(data)
        >>> bool(trained.size_bits(data).sum() < 8 * data.nbytes / 3)
        True
        >>> again = Codec("e2mc16", tables=trained.tables)
        >>> bool((again.size_bits(data) == trained.size_bits(data)).all())
        True
        """
        learnt = Codec.__new__(Codec)
        learnt._native = self._native.train([flatten(sample).data for sample in samples])
        return learnt

    def size_bits(self, array: ArrayLike) -> np.ndarray:
        """The size of each block in bits, as ``uint32``.

        A size may exceed the block's own bits; hardware then stores the block as it is. An end that fills no block has its
        own bits.

        >>> import numpy as np
        >>> Codec("zero").size_bits(np.zeros(33, dtype=np.float32))
        array([ 1, 32], dtype=uint32)
        """
        import numpy as np

        data = flatten(array).data
        sizes = self._native.sizes(data)
        tail_bits = 8 * (data.size % self.block_bytes)
        return np.append(sizes, np.uint32(tail_bits)) if tail_bits else sizes

    def compress(self, array: ArrayLike) -> Encoded:
        """The encoding of an array, bit-exact.

        >>> import numpy as np
        >>> data = np.linspace(0, 1, 100, dtype=np.float32).reshape(10, 10)
        >>> encoded = Codec("bpc").compress(data)
        >>> bool((Codec("bpc").decompress(encoded) == data).all())
        True
        """
        import numpy as np

        flat = flatten(array)
        data, sizes = self._native.compress(flat.data)
        tail = flat.data[sizes.size * self.block_bytes :].tobytes()
        if is_torch(array):
            original, shape = np.dtype(np.uint8), (flat.data.size,)
        else:
            found = to_numpy(array)
            original, shape = found.dtype, found.shape
        return Encoded(self.spec, self.block_bytes, data, sizes, tail, original, shape)

    def decompress(self, encoded: Encoded) -> np.ndarray:
        """The array that was compressed. Damaged encodings give an exception, or other numbers of the same type and shape.

        A tensor of torch comes back as the array of its bytes.
        """
        import numpy as np

        if encoded.block_bytes != self.block_bytes:
            raise UsageError(f"the encoding has blocks of {encoded.block_bytes} B, the codec of {self.block_bytes} B")
        sizes = np.ascontiguousarray(encoded.sizes_bits, dtype=np.uint32)
        blocks = self._native.decompress(encoded.data, sizes)
        data = np.concatenate([blocks, np.frombuffer(encoded.tail, dtype=np.uint8)]) if encoded.tail else blocks
        return from_bytes(data, encoded.dtype, encoded.shape)

    def __repr__(self) -> str:
        block = "" if self.block_bytes == 128 else f", block_bytes={self.block_bytes}"
        return f"Codec({self.spec!r}{block})"


@dataclass(frozen=True)
class Encoded:
    """An array as a codec stores it.

    >>> import numpy as np
    >>> encoded = Codec("zero").compress(np.zeros(3200, dtype=np.int32))      # 100 blocks of 1 bit
    >>> encoded.nbytes, encoded.shape
    (13, (3200,))
    """

    #: The codec.
    codec: str
    #: Bytes of a block.
    block_bytes: int
    #: The encodings of the blocks, one after the other, most significant bits first.
    data: bytes
    #: The bits of each.
    sizes_bits: np.ndarray
    #: What filled no block.
    tail: bytes
    #: The element type of the array.
    dtype: np.dtype
    #: Its extents.
    shape: Tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Bytes stored, each block as it is where its encoding would be larger."""
        import numpy as np

        bits = np.minimum(self.sizes_bits, 8 * self.block_bytes).sum(dtype=np.uint64)
        return (int(bits) + 7) // 8 + len(self.tail)

    @property
    def ratio(self) -> float:
        """Bytes of the array over bytes stored."""
        original = self.sizes_bits.size * self.block_bytes + len(self.tail)
        return original / self.nbytes if self.nbytes else 1.0
