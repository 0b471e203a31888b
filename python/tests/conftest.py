"""What all tests share: a store of their own, never the user's."""

import signal

import pytest


@pytest.fixture(autouse=True)
def ctrl_c_raises():
    # A process that was started in the background ignores the signal, and Python leaves that as it is.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def store_of_the_test(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "shrinkwarp" / "runs.sqlite"
