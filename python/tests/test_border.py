"""Is the package quick to import, and does it keep nothing of what passed through it?"""

import re
import subprocess
import sys

import numpy as np

import shrinkwarp as sw

LEAK = """
import resource, sys
import numpy as np
import shrinkwarp as sw

ptx = '''
.version 6.0
.target sm_50
.address_size 64
.visible .entry nothing(.param .u64 data) { ret; }
'''
data = np.zeros(8192, np.float32)
codec = sw.Codec("bpc")

def once():
    codec.size_bits(data)
    codec.decompress(codec.compress(data[:512]))
    try:
        sw.Codec("nope")
    except sw.UsageError:
        pass

def heavy():
    sw.analyze(data, codecs=["bdi"])
    sw.launch(ptx, "nothing", 1, 32, [data])

def resident_kib():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024

for _ in range(500): once()
for _ in range(50): heavy()
before = resident_kib()
for _ in range(10000): once()
for _ in range(200): heavy()
print(resident_kib() - before)
"""


def python(*arguments):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


def test_the_package_imports_nothing_heavy():
    # Time is measured by tools/speed.py; what costs it is tested here.
    loaded = python("-c", "import sys, shrinkwarp; print(*sys.modules)")[0].split()
    assert not {"numpy", "pandas", "matplotlib", "torch", "triton", "tqdm"} & set(loaded)


def test_ten_thousand_calls_leave_nothing_behind():
    grown_kib = int(python("-c", LEAK)[0])
    # One array of 32 KiB that is kept by each call would be 320 MB.
    assert grown_kib < 8192, f"{grown_kib} KiB"


def test_references_are_given_back():
    data = np.zeros(4096, np.uint8)
    before = sys.getrefcount(data)
    for _ in range(100):
        sw.Codec("bpc").size_bits(data)
        sw.analyze({"x": data}, codecs=["zero"])
    assert sys.getrefcount(data) == before


def test_the_command_is_in_the_package():
    out, _ = python("-m", "shrinkwarp", "list", "codecs")
    assert re.search(r"^bpc ", out, re.M)
    failed = subprocess.run([sys.executable, "-m", "shrinkwarp", "run", "nope"], capture_output=True, text=True)
    assert failed.returncode == 2 and "unknown workload" in failed.stderr
    wrong = subprocess.run([sys.executable, "-m", "shrinkwarp", "--nope"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "--nope" in wrong.stderr
