"""check_compression.py MPIEXEC NUMPROC_FLAG ORB FOLDER float|double

`orb --compress`: the tree of any number of ranks is that of one rank, and the report has the error,
the bytes and the prediction. Oracle: bytes, half steps and predictions added up here, by hand.
"""

import json
import pathlib
import subprocess
import sys

mpiexec, numproc, orb, folder, kind = sys.argv[1:]
real = {"float": 4, "double": 8}[kind]
report = pathlib.Path(folder, "report.json")
report.parent.mkdir(parents=True, exist_ok=True)
PARTICLES, NETWORK = 20000, 2.0
TRIPLE = {32: 12, 21: 8, 16: 6}
RANKS = {32: [(1, "local"), (2, "once"), (3, "global")], 21: [(2, "local"), (3, "once")],
         16: [(2, "global"), (3, "local")]}


def run(ranks, *options):
    report.unlink(missing_ok=True)
    start = [mpiexec, numproc, str(ranks)] if ranks > 1 else []
    subprocess.run([*start, orb, "--generate", "nfw", "--particles", str(PARTICLES), "--backend", "serial",
                    "--repeat", "1", "--verify", "--json", str(report), *options],
                   check=True, stdout=subprocess.DEVNULL)
    return json.loads(report.read_text())


def close(a, b):
    assert abs(a / b - 1) < 1e-9, (a, b)


for bits, triple in TRIPLE.items():
    alone = run(1, "--leaves", "37", "--compress", str(bits), *(["--model", "corrected"] if bits == 16 else []))
    about = alone["results"]["compression"]
    assert about["bits"] == bits
    assert about["bytes_per_particle"] == triple and about["uncompressed_bytes_per_particle"] == 3 * real
    assert abs(about["half_step"] * 2**bits - 0.5) < 0.001, about
    rounding = 2.0**-24 if kind == "float" else 2.0**-53
    assert about["half_step"] * 0.9 < about["largest_error"] < about["half_step"] + rounding or bits == 32, about
    assert about["largest_error"] < about["half_step"] + rounding, about
    [check] = [c for c in alone["verification"]["checks"] if c["name"] == "compression_error"]
    assert check["passed"] and check["value"] == about["largest_error"], check
    [check] = [c for c in alone["verification"]["checks"] if c["name"] == "compressed_positions_arrive"]
    assert check["passed"] and check["value"] == 0, check

    if bits == 16:
        # The transfers: a copy on a host; the compressed bytes are then read and written as positions.
        build, plain, sent = alone["results"]["model"]["measured"]
        [serial] = [b for b in alone["results"]["model"]["backends"] if b["backend"] == "serial"]
        copy = PARTICLES / serial["copy_bytes_per_second"]
        close(plain["predicted_seconds"], 6 * real * copy)
        close(sent["predicted_seconds"], (2 * triple + triple + 3 * real) * copy)
        close(sent["measured_seconds"], about["seconds"])
        close(plain["measured_seconds"], about["uncompressed_seconds"])

    for ranks, how in RANKS[bits]:
        modelled = (bits, ranks) == (21, 2)
        model = ["--model", "corrected", "--model-network", str(NETWORK)] if modelled else []
        found = run(ranks, "--leaves", "37", "--compress", str(bits), "--reshuffle", how, *model)["results"]
        assert found["checksum"] == alone["results"]["checksum"], (bits, ranks, how)
        about = found["compression"]
        close(1 + about["bytes_per_particle"] / (triple + 8),
              1 + about["uncompressed_bytes_per_particle"] / (3 * real + 8))
        assert about["bytes_per_particle"] == found["bytes_sent_per_particle"]
        assert ranks == 1 or about["bytes_per_particle"] > 1, about
        if modelled:  # one exchange
            here, beside = found["model"]["measured"]
            close(beside["measured_seconds"], about["uncompressed_seconds"])
            [serial] = [b for b in found["model"]["backends"] if b["backend"] == "serial"]
            saved = (1 - 1 / ranks) * (3 * real - triple) / (NETWORK * 1e9)
            more = 2 * (3 * real + triple) / serial["copy_bytes_per_second"]
            close(here["predicted_seconds"] - beside["predicted_seconds"] + 1, PARTICLES / ranks * (more - saved) + 1)
assert run(1, "--leaves", "37")["results"]["checksum"] != alone["results"]["checksum"]
weighted = [run(ranks, "--leaves", "37", "--compress", "21", "--weights", "heavy-tailed")["results"]
            for ranks in (1, 2)]
assert weighted[0]["checksum"] == weighted[1]["checksum"]
