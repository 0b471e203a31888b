"""Types of arguments, for type checkers."""

from __future__ import annotations

import os
from typing import Any, Union

#: An array of NumPy, a tensor of torch, bytes, or what NumPy can make an array of.
ArrayLike = Any

#: A path.
PathLike = Union[str, "os.PathLike[str]"]
