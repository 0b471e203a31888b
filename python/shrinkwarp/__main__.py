"""The ``shrinkwarp`` command, in this process: ``python -m shrinkwarp``."""

from __future__ import annotations

import os
import shutil
import signal
import sys

from . import _native


def main() -> int:
    """Runs the command with the arguments of this process and gives its exit code."""
    # Python's own handler only takes a note, which no Python code reads while the command runs.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    script = shutil.which("shrinkwarp", path=os.path.dirname(sys.executable)) or shutil.which("shrinkwarp")
    if script is not None:
        # Commands that start themselves again, such as a sweep on a cluster, need a program, not the interpreter.
        os.environ.setdefault("SHRINKWARP_PROGRAM", script)
    return _native.command(["shrinkwarp", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
