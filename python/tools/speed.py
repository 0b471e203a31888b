"""How quick the package is, as ratios: against the Rust library and the command in the same run.

    python speed.py SIZES SHRINKWARP MODEL.safetensors

SIZES is the example `sizes` of crates/codec and SHRINKWARP the command, both built like the wheel. Everything runs on one core. The
analysis of a dictionary of the model's tensors is compared with the command's analysis of the file.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile
import time

os.environ["RAYON_NUM_THREADS"] = os.environ.get("RAYON_NUM_THREADS", "1")


CODECS = ["bpc", "bdi", "fpc", "cpack"]


def best_of(count, work):
    times = []
    for _ in range(count):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def import_ms():
    code = "import time; t = time.perf_counter(); import shrinkwarp; print(time.perf_counter() - t)"
    runs = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout) for _ in range(7)]
    return 1000 * min(runs)


def tensors(path):
    import numpy as np

    kinds = {"F32": "f4", "F16": "f2", "I64": "i8", "I32": "i4", "U8": "u1"}
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        body = file.read()
    header.pop("__metadata__", None)
    found = {}
    for name, entry in header.items():
        start, end = entry["data_offsets"]
        found[name] = np.frombuffer(body[start:end], kinds[entry["dtype"]]).reshape(entry["shape"])
    return found


def main(library, command, model):
    import numpy as np

    import shrinkwarp as sw

    print(f"import: {import_ms():.0f} ms")
    data = np.concatenate([tensor.reshape(-1).view("u1") for tensor in tensors(model).values()])[: 64 << 20].copy()
    of_package, of_library = {name: 0.0 for name in CODECS}, {name: 0.0 for name in CODECS}
    with tempfile.NamedTemporaryFile() as file:
        data.tofile(file)
        file.flush()
        # In turn, because a machine's speed changes from one second to the next.
        for _ in range(5):
            done = subprocess.run([library, file.name, *CODECS], capture_output=True, text=True, check=True)
            for line in done.stdout.splitlines():
                name, speed = line.split()
                of_library[name] = max(of_library[name], float(speed))
            for name in CODECS:
                codec = sw.Codec(name)
                seconds = best_of(5, lambda codec=codec: codec.size_bits(data))
                of_package[name] = max(of_package[name], data.size / 1e9 / seconds)
    for name in CODECS:
        ratio = of_package[name] / of_library[name]
        print(f"sizes of 64 MiB, {name}: {of_package[name]:.2f} GB/s, the library {of_library[name]:.2f}: {ratio:.2f} times its speed")
    arrays = tensors(model)
    package, program = [], []
    for _ in range(3):
        package.append(best_of(1, lambda: sw.analyze(arrays).table()))
        program.append(best_of(1, lambda: subprocess.run([command, "analyze", model], check=True, stdout=subprocess.DEVNULL)))
    print(f"analyze: {min(package):.2f} s, the command {min(program):.2f} s: {min(program) / min(package):.2f} times its speed")


if __name__ == "__main__":
    main(*sys.argv[1:4])
