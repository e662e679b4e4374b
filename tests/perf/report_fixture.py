"""Results for a page: small, with known values, and with hostile text.

`write(folder)` writes them and returns the folder.
"""

import json
import os

HOSTILE = "<img src=x onerror=hacked()></script><script>hacked()</script>\"'&<!--${x}$main"
PARTICLES = (1024, 16384, 262144)
# seconds by machine and backend for PARTICLES; the newer commit of alpha is twice as fast
SECONDS = {("alpha", "openmp"): (0.001, 0.0125, 0.24), ("alpha", "cuda"): (0.002, 0.0025, 0.003),
           ("beta", "openmp"): (0.004, 0.05, 0.96)}
COMMAND = "perf/run.py scaling --machine {machine}"
BUILD = {"compiler": "GCC " + HOSTILE, "kokkos": "5.0.2"}


def run_of(machine, backend, day, particles):
    return {"command": f"bin/orb --particles {particles} --backend {backend}",
            "environment": {"OMP_NUM_THREADS": "2"}, "cpu_joules": 12.5, "gpu_joules": None,
            "started": f"2026-01-{day:02}T10:00:00Z", "backend": backend, "ranks": 1, "threads": 2,
            "input": "0a0a", "verified": machine == "alpha"}


def hardware(machine):
    return {"cpu": f"{machine} {HOSTILE}", "cores": 2, "memory_bytes": 16 * 10**9, "host": "vm",
            "gpu": {"name": "GPU " + HOSTILE} if machine == "alpha" else None}


def scaling(machine, commit, day, factor=1.0):
    """Seconds against particles, with published values, marks and raw samples."""
    rows, runs = [], []
    for (where, backend), all_seconds in SECONDS.items():
        if where != machine:
            continue
        for particles, value in zip(PARTICLES, all_seconds):
            seconds = factor * value
            rows.append({"particles": particles, "backend": backend, "leaves": 64,
                         "seconds": seconds, "published_seconds": 2.0 * particles / 1e6,
                         "samples": [0.9 * seconds, seconds, 1.2 * seconds], "run": len(runs)})
            runs.append(run_of(machine, backend, day, particles))
    return {"schema": 2, "experiment": "scaling", "title": "Scaling of " + HOSTILE,
            "source": "paper " + HOSTILE,
            "command": COMMAND.format(machine=machine) + f" '{HOSTILE}'",
            "quick": False, "commit": commit, "machine": hardware(machine),
            "build": BUILD,
            "published": {"source": "paper", "seconds": {HOSTILE: 3.5}, "note": HOSTILE},
            "keys": ["particles", "backend"],
            "metric": {"column": "seconds", "unit": "s", "better": "smaller"},
            "panels": [{"x": "particles", "y": "seconds", "series": ["backend"], "xscale": "log2",
                        "yscale": "log", "published": "published_seconds", "ylabel": "seconds",
                        "xlabel": "particles N", "marks": [{"y": 0.02, "label": HOSTILE}]}],
            "rows": rows, "notes": [HOSTILE], "runs": runs}


def other_input():
    """As scaling, of the same particles, but with more leaves than elsewhere."""
    document = scaling("beta", "e" * 40, 6)
    for row in document["rows"]:
        row["leaves"] = 4096
    return document


def other_share():
    """As scaling, but with another fraction of the particles in haloes."""
    document = scaling("beta", "f" * 40, 6)
    for row in document["rows"]:
        row["halo_fraction"] = 0.6
    return document


def other_checksum():
    """As scaling, and equal in every column, but of other particles."""
    document = scaling("beta", "9" * 40, 6)
    for run in document["runs"]:
        run["input"] = "0b0b"
    return document


def variants():
    """Named cases, some without a value, and without panels."""
    rows = [{"variant": f"{name} {HOSTILE}", "leaves": 64,
             "speed_up": {"walk": value, "build": 1.5}, "nodes_visited": nodes}
            for name, value, nodes in (("ropes", 10.0, 900), ("fsm", 9.0, None),
                                       ("lockstep", 2.25, 80))]
    return {"schema": 2, "experiment": "variants", "source": "", "command": "", "quick": True,
            "commit": "c" * 40 + "-dirty", "machine": hardware("beta"), "published": {},
            "rows": rows, "notes": [], "runs": []}


def ceilings():
    """A machine file of the roofline."""
    sweep = [{"stream": stream, "bytes": size, "kept": kept, "bytes_per_second": rate}
             for stream, size, kept, rate in (
                 ("read", 4096, True, 4e11), ("read", 2**20, True, 1e11),
                 ("read", 4096, False, 2e10), (HOSTILE, 4096, True, 1e9))]
    return {"app": "ceilings", "git": {"commit": "a" * 40, "dirty": False}, "build": BUILD,
            "machine": hardware("alpha"), "run": {"started": "2026-01-08T10:00:00Z"},
            "verification": {"requested": True, "passed": True}, "results": {
        "quick": False, "ceilings": [{
            "backend": "openmp", "threads": 2, "sweep": sweep,
            "levels": [{"name": "L1", "bytes": 65536, "bytes_per_second": {"read": 4.25e11}},
                       {"name": HOSTILE, "bytes": None, "bytes_per_second": {"read": 2e10}}],
            "operations_per_second": {"float": {"scalar": 1.5e10, HOSTILE: 9.1e10}},
            "atomics": [{"memory": "scratch", "counters": 32, "additions_per_second": 2.95e8}],
            "launch_seconds": {"fenced": 1.9e-7},
            "transfers": [{"direction": "in", "pinned": True, "bytes": 2**20, "seconds": 4e-5}]}]}}


def write_machines(folder):
    """Machine files, and one of vendor peaks, which is not a machine file."""
    os.makedirs(folder)
    for name, content in (("alpha", ceilings()), ("vendor_peaks", {"machines": []})):
        with open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8") as file:
            json.dump(content, file)
    return folder


def write(folder):
    for place, document in {
            "alpha/scaling/aaa1111": scaling("alpha", "a" * 40, 3, factor=2.0),
            "alpha/scaling/bbb2222": scaling("alpha", "b" * 40, 9),
            "beta/scaling/bbb2222": scaling("beta", "b" * 40, 5),
            "gamma/scaling/eee5555": other_input(), "delta/scaling/fff6666": other_share(),
            "epsilon/scaling/9997777": other_checksum(), "beta/variants/ccc3333": variants()}.items():
        path = os.path.join(folder, f"{place}.json")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
    return folder
