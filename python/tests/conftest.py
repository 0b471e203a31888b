"""What all tests share: a store of their own, never the user's."""

import pytest


@pytest.fixture(autouse=True)
def store_of_the_test(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "shrinkwarp" / "runs.sqlite"
