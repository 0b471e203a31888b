"""Are results those of the command, found in its store, and are codecs of one's own where they should be?"""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import shrinkwarp as sw


def command(*arguments):
    done = subprocess.run([sys.executable, "-m", "shrinkwarp", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_run_made_in_one_is_found_by_the_other(store_of_the_test):
    kept = sw.run("histogram", scheme="e2mc16", scale="tiny")
    listed = command("store", "list", "--json")
    assert [row["identity"] for row in listed] == [kept.identity]
    assert kept.identity == sw.identity("histogram", scheme="e2mc16", scale="tiny")
    command("run", "bfs", "--scale", "tiny", "--json")
    started = time.perf_counter()
    again = sw.run("bfs", scale="tiny")
    fresh = sw.run("bfs", scale="tiny", fresh=True)
    assert again.cycles == fresh.cycles and again.counters == fresh.counters
    assert time.perf_counter() - started < 60
    assert {each.workload for each in sw.results()} == {"histogram", "bfs"}


def test_a_result_has_counters_energy_and_series():
    result = sw.run("histogram", scale="tiny", sample_cycles=500, store="none")
    assert result.cycles == result["core_cycles"]
    assert sum(result.energy.values()) == pytest.approx(result.energy_j)
    assert result.series["cycle"][-1] <= result.cycles and result.series["cycle"].dtype == np.float64
    assert "cycles" in repr(result) and "<table>" in result._repr_html_()
    with pytest.raises(KeyError, match="did you mean core_cycles"):
        result["core_cycle"]


def test_changes_reach_the_machine():
    small = sw.run("spmv", gpu=sw.Gpu("gtx480", l1__size_kib=16), scale="tiny", store="none")
    large = sw.run("spmv", gpu=sw.Gpu("gtx480", l1__size_kib=48), scale="tiny", store="none")
    assert large["derived.l1_hit_share"] >= small["derived.l1_hit_share"]
    assert small.overrides == ["l1.size_kib=16"]


def test_a_scheme_from_a_dictionary_is_the_scheme_with_these_keys():
    named = sw.Scheme({"name": "mine", "based_on": "none", "packets": {"codec": "dsm"}})
    assert named.to_dict()["packets"]["codec"] == "dsm" and str(named) == "mine"
    changed = sw.Scheme("none", packets__codec="dsm")
    assert sw.identity("bfs", scheme=named, scale="tiny") == sw.identity("bfs", scheme=changed, scale="tiny")


def test_compare_and_sweep():
    found = sw.compare("histogram", ["none", sw.Scheme("none", packets__codec="bpc")], scale="tiny")
    assert found.speedup("histogram", "none") == 1
    assert len(found.results) == 2 and "histogram" in str(found)
    assert found._repr_html_().startswith("<iframe")
    swept = sw.sweep({"workload": ["histogram", "bfs"], "scheme": ["none", "dsm"]}, scale="tiny", threads=1)
    assert [(each.workload, each.scheme) for each in swept] == [
        ("histogram", "none"),
        ("histogram", "dsm"),
        ("bfs", "none"),
        ("bfs", "dsm"),
    ]
    assert "histogram" in repr(swept) and "<td>bfs</td>" in swept._repr_html_()
    assert sw.sweep({"workload": ["bfs"], "scheme": ["none", "dsm"]}, scale="tiny", skip=[{"scheme": "dsm"}])[0].error is None


def test_frames():
    pandas = pytest.importorskip("pandas")
    found = sw.compare("histogram", "dsm", scale="tiny")
    frame = found.to_frame()
    assert list(frame.scheme) == ["none", "dsm"] and frame.speedup[0] == 1
    assert isinstance(found.results.to_frame(), pandas.DataFrame)


def test_errors_have_the_command_s_text():
    with pytest.raises(sw.UsageError, match='unknown workload "kmean"; did you mean "kmeans"'):
        sw.run("kmean")
    with pytest.raises(sw.UsageError, match=r'l1\.sise_kib: unknown key; did you mean "size_kib"'):
        sw.Gpu("gtx480", l1__sise_kib=48)
    with pytest.raises(sw.UsageError, match="unknown scheme"):
        sw.Scheme("latt")
    with pytest.raises(sw.UsageError, match="has no workload"):
        sw.sweep({"scheme": ["none"]})
    with pytest.raises(sw.UsageError, match="unknown scale"):
        sw.run("bfs", scale="huge")


class Uncompressed:
    def size_bits(self, block):
        assert isinstance(block, bytes) and len(block) == 128
        return 1024


class Zeros:
    """What the codec `zero` does."""

    def size_bits(self, block):
        return 1 if block == bytes(128) else 1025


POINTS = {
    "packets": {"packets__codec": Zeros()},
    "l2": {"l2__codec": Zeros()},
    "memory": {"memory__codec": Zeros()},
    "link": {"link__codec": Zeros()},
    "l1": {"l1__policy": "static", "l1__modes": [Zeros()]},
}


@pytest.mark.parametrize("point", POINTS)
def test_a_codec_of_ones_own_is_at_its_point(point):
    base = "hmc-link" if point == "link" else "none"
    costs = {f"{point}__compress_cycles": 1, f"{point}__decompress_cycles": 1}
    own = sw.Scheme(base, **POINTS[point], **costs)
    key = "l1__modes" if point == "l1" else f"{point}__codec"
    known = sw.Scheme(base, **{**POINTS[point], key: ["zero"] if point == "l1" else "zero"}, **costs)
    mine = sw.run("histogram", scheme=own, scale="tiny")
    theirs = sw.run("histogram", scheme=known, scale="tiny", store="none")
    assert mine.cycles == theirs.cycles and mine.ratios == theirs.ratios
    assert mine.ratios[point] >= 1
    assert not os.path.exists(os.path.join(os.environ["XDG_DATA_HOME"], "shrinkwarp")), "it is not kept"


def test_an_exception_of_a_codec_ends_the_run():
    class Broken:
        def size_bits(self, block):
            raise ZeroDivisionError("no blocks today")

    with pytest.raises(ZeroDivisionError, match="no blocks today"):
        sw.run("histogram", scheme=sw.Scheme("none", packets__codec=Broken()), scale="tiny")

    class Wrong:
        def size_bits(self, block):
            return "many"

    with pytest.raises(sw.UsageError, match="size_bits returned 'many'"):
        sw.run("histogram", scheme=sw.Scheme("none", packets__codec=Wrong()), scale="tiny")
    with pytest.raises(sw.UsageError, match="verify"):
        sw.run("histogram", scheme=sw.Scheme("none", packets__codec=Zeros()), scale="tiny", verify=True)


def test_ctrl_c_ends_a_run_and_other_threads_go_on():
    ticks = []

    def tick():
        for _ in range(20):
            ticks.append(time.perf_counter())
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=tick)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        sw.run("matmul" if "matmul" in sw.workloads() else "kmeans", scale="paper", fresh=True)
    thread.join()
    assert len(ticks) == 20
