"""Does an analysis say what the command says?"""

import json
import subprocess
import sys

import numpy as np
import pytest

import shrinkwarp as sw


def tensors():
    generator = np.random.default_rng(7)
    return {"weight": generator.normal(0, 0.02, (64, 128)).astype("f4"), "index": np.arange(5000, dtype="i8")}


def command(*arguments):
    return subprocess.run([sys.executable, "-m", "shrinkwarp", *arguments], capture_output=True, text=True)


def test_arrays_a_file_and_the_command_agree(tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, **tensors())
    mine = sw.analyze(tensors(), name=str(path)).json
    assert mine == sw.analyze(path).json
    assert mine == json.loads(command("analyze", "--json", str(path)).stdout)


def test_it_prints_as_the_table_and_draws_itself():
    found = sw.analyze(tensors(), codecs=["bpc", "bdi"])
    assert "codec" in str(found) and "weight" in repr(found)
    assert found._repr_html_().startswith("<iframe srcdoc=")
    assert found.best in ("bpc", "bdi")
    assert found.csv().count("\n") == 5


def test_each_place_has_its_verdict():
    found = sw.analyze(np.random.default_rng(1).normal(0, 0.02, (512, 512)).astype("f4"))
    assert found.best_at("bursts") is None and not found.is_worthwhile
    assert found.best_at("flits") is not None and found.best_at("capacity") is not None
    with pytest.raises(sw.UsageError, match="known: bursts, flits, capacity"):
        found.best_at("l1")


def test_a_frame_has_a_row_for_each_tensor_and_codec():
    pytest.importorskip("pandas")
    frame = sw.analyze(tensors(), codecs=["bpc", "bdi"]).to_frame()
    assert frame.shape[0] == 4 and set(frame.tensor) == {"weight", "index"}


def test_errors():
    with pytest.raises(sw.UsageError, match="unknown codec"):
        sw.analyze(np.zeros(9), codecs=["nope"])
    with pytest.raises(sw.WorkError, match="missing.npy"):
        sw.analyze("missing.npy")
    with pytest.raises(sw.UsageError, match="no arrays"):
        sw.analyze({})
    with pytest.raises(sw.UsageError, match="train"):
        sw.analyze(np.zeros(9), train="200%")


def test_an_empty_array_has_nothing_to_compress():
    found = sw.analyze(np.zeros(0, dtype="f4"), codecs=["bpc"])
    assert not found.is_worthwhile


def test_progress_goes_through_tqdm(monkeypatch):
    pytest.importorskip("tqdm")
    import tqdm.auto

    seen = []

    class Recording(tqdm.auto.tqdm):
        def refresh(self, *arguments, **options):
            seen.append((self.n, self.total))
            return super().refresh(*arguments, **options)

    monkeypatch.setattr(tqdm.auto, "tqdm", Recording)
    data = np.zeros(1 << 22, dtype="u1")
    sw.analyze(data, codecs=["zero"], progress=True)
    assert seen and seen[-1][0] == seen[-1][1]
