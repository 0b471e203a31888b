"""Doctests keep no results."""

import pytest


@pytest.fixture(autouse=True)
def no_store_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
