"""Exceptions. Their texts are those that the ``shrinkwarp`` command prints."""


class ShrinkwarpError(Exception):
    """Anything that this package refuses or fails to do."""


class UsageError(ShrinkwarpError, ValueError):
    """The request is not possible: an unknown name, a wrong type, a value out of range."""


class WorkError(ShrinkwarpError, RuntimeError):
    """The work failed: a file cannot be read, a kernel was stopped, a result cannot be kept."""
