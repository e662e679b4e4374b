"""check_stream.py ORB FOLDER float|double

`orb --stream`: the tree is that of a build in memory, and the report has the bytes and the
prediction. Oracle: bytes and seconds added up here, by hand.
"""

import json
import pathlib
import subprocess
import sys

orb, folder, kind = sys.argv[1:]
real = {"float": 4, "double": 8}[kind]
report = pathlib.Path(folder, "report.json")
report.parent.mkdir(parents=True, exist_ok=True)
PARTICLES, BATCH, LEVELS = 20000, 3000, 6
TRIPLES = 6 * 1000 + 667  # of six batches of 3000 particles and one of 2000
TRIPLE = {32: 12, 21: 8, 16: 6}


def run(*options):
    report.unlink(missing_ok=True)
    subprocess.run([orb, "--generate", "nfw", "--particles", str(PARTICLES), "--leaves", "37", "--backend",
                    "serial", "--repeat", "1", "--verify", "--json", str(report), *options],
                   check=True, stdout=subprocess.DEVNULL)
    return json.loads(report.read_text())["results"]


def close(a, b):
    assert abs(a / b - 1) < 1e-9, (a, b)


def predicted(key, serial):
    """A host backend: copies of batches, reads of them, the columns made, and the partition."""
    rounds = -(-8 * real // 11)
    streamed = rounds * LEVELS * key
    read = LEVELS * real + streamed
    moved = LEVELS * (real + 2 * (3 * real + 4)) + LEVELS * (real + key) + 2 * streamed
    return PARTICLES * (read / serial["read_bytes_per_second"] + moved / serial["copy_bytes_per_second"])


for bits in (0, 16, 21, 32):
    how = ["--compress", str(bits)] if bits else []
    model = ["--model", "corrected"] if bits in (0, 21) else []
    found = run("--stream", str(BATCH), *how, *model)
    assert found["checksum"] == run(*how)["checksum"], bits
    triple = TRIPLE.get(bits, 3 * real)
    sent = TRIPLES * triple * sum(found["iterations_per_level"])
    assert found["bytes_to_device"] == sent, found
    assert found["stream"]["batch"] == BATCH and found["stream"]["batches"] == 7, found
    close(found["stream"]["bytes_per_particle"], sent / PARTICLES)
    if bits:
        about = found["compression"]
        close(about["bytes_per_particle"], sent / PARTICLES)
        close(about["uncompressed_bytes_per_particle"], sent / triple * 3 * real / PARTICLES)
    if model:
        here, *beside = found["model"]["measured"]
        [serial] = [b for b in found["model"]["backends"] if b["backend"] == "serial"]
        close(here["predicted_seconds"], predicted(triple / 3, serial))
        if bits:
            [beside] = beside
            close(beside["predicted_seconds"], predicted(real, serial))
            close(beside["measured_seconds"], about["uncompressed_seconds"])
