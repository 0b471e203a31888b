"""Progress bars, through tqdm where it is installed."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Callable, Optional, Type, Union

#: How calls take it: True and False say whether a bar is shown, None shows one on terminals and in notebooks.
Progress = Optional[bool]

Callback = Callable[[int, int, str], None]


class Bar:
    """A bar that appears when there is something to show.

    The native part calls it about ten times a second with what is done, of how much, and what.
    """

    def __init__(self, asked: Progress, unit: str, scale: bool = False) -> None:
        self._unit = unit
        self._scale = scale
        self._bar: Any = None
        self._tqdm = _tqdm() if _is_wanted(asked) else None

    @property
    def callback(self) -> Optional[Callback]:
        """What the native part calls; None where nothing is to be shown."""
        return self._show if self._tqdm is not None else None

    def _show(self, done: int, total: int, what: str) -> None:
        if self._tqdm is None or total == 0:
            return
        if self._bar is None:
            self._bar = self._tqdm(total=total, unit=self._unit, unit_scale=self._scale, leave=False)
        self._bar.total = total
        self._bar.n = min(done, total)
        if what:
            self._bar.set_description(what, refresh=False)
        self._bar.refresh()

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self,
        kind: Union[Type[BaseException], None],
        error: Union[BaseException, None],
        trace: Union[TracebackType, None],
    ) -> None:
        if self._bar is not None:
            self._bar.close()


def _is_wanted(asked: Progress) -> bool:
    if asked is not None:
        return asked
    in_notebook = "ipykernel" in sys.modules
    return in_notebook or (sys.stderr is not None and sys.stderr.isatty())


def _tqdm() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm
