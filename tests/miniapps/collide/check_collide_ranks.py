#!/usr/bin/env python3
"""Runs the collide mini-app over 1 to 4 ranks: files have the same bytes, g(r) the same numbers and restarts continue
with another number of ranks; what cannot be read, written or followed ends all ranks with one sentence and exit code 2.

Usage: check_collide_ranks.py PROGRAM FOLDER files|refusals LAUNCHER...
The LAUNCHER is a command that is followed by a number of ranks.
"""
import json
import pathlib
import random
import sys

from check_collide import COURSE, check, run

GAS = ["--generate", "gas", "--particles", "400"]
RANKS = (1, 2, 3, 4)
# Arguments of a start and of its model, which a restart must have too.
SCENARIOS = [
    (COURSE, []),
    ([*GAS, "--density", "2"], ["--periodic"]),
    ([*GAS, "--density", "1"], ["--force", "soft-sphere", "--integrator", "leapfrog"]),
    (GAS, ["--dimensions", "3", "--radius-spread", "2", "--periodic"]),
    (["--generate", "uniform", "--particles", "300"], ["--cutoff", "0.05"]),
    (["--generate", "gas", "--particles", "3"], []),  # fewer particles than ranks
]


# Keys of a method's costs over ranks, each with its mean and its largest value.
SECONDS = ["compute_seconds", "communicate_seconds", "wait_seconds", "hidden_seconds"]


def check_costs(method, ranks):
    """The report has the costs of every part of a run over ranks."""
    for part in SECONDS:
        check(0 <= method[part]["mean"] <= method[part]["max"] < 1e4, f"{ranks} ranks report {part} {method[part]}")
    check(0 < method["compute_seconds"]["mean"], f"{ranks} ranks compute nothing")
    check(set(method["bytes_sent_per_step"]) == {"migration", "ghosts", "domains"}
          and all(sent >= 0 for sent in method["bytes_sent_per_step"].values()), f"{ranks} ranks report other bytes")
    check(method["imbalance"] >= 1, f"{ranks} ranks have an imbalance of {method['imbalance']}")


def files_of(path):
    return [file.read_bytes() for file in (path, pathlib.Path(f"{path}.restart.hdf5"))]


def files(program, folder, launcher):
    """Seven steps and thirteen from the restart, on every number of ranks, are twenty on one."""
    def on(ranks, *arguments):
        r = run(*launcher, str(ranks), program, *arguments, "--repeat", "1", "--quiet")
        check(r.returncode == 0, f"{arguments} on {ranks} ranks fails", r)
        return r

    out = folder / "report.json"
    whole, begun, ended, more = (folder / f"{name}.out" for name in ("whole", "begun", "ended", "more"))
    snapshot = folder / "snapshot.csv"
    any_number = random.Random(1)
    snapshot.write_text("x,y,z,vx,vy,vz\n" + "".join(
        ",".join(f"{any_number.random():.9f}" for _ in range(6)) + "\n" for _ in range(300)))
    for start, model in [(["--input", str(snapshot)], ["--cutoff", "0.1", "--dt", "0.001", "--dimensions", "3"]),
                         *SCENARIOS]:
        common = [*model, "--save-every", "5"]
        on(1, *start, *common, "--steps", "20", "--output", str(whole))
        on(1, *start, *common, "--steps", "7", "--output", str(begun))
        radial = None
        for ranks in RANKS:
            wide = ["--radial-range", "1.5"] if start != SCENARIOS[-1][0] else []
            on(ranks, *start, *common, "--steps", "7", "--output", str(ended), "--verify", "--json", str(out),
               "--method", "brute-force" if ranks == 2 else "cells", *wide)
            check(files_of(ended) == files_of(begun), f"{start} {model}: {ranks} ranks write other files")
            results = json.loads(out.read_text())["results"]
            check_costs(results["methods"][0], ranks)
            dimensions, sizes = 3 if "3" in model else 2, "--radius-spread" in model
            check(results["least_bytes_per_particle_step"] == 32 * dimensions + 4 + 8 * sizes,
                  f"{start} {model}: {ranks} ranks count other bytes of a particle")
            found = results.get("radial_distribution")
            radial = radial or found
            check(found == radial and (found is None) == (not wide), f"{ranks} ranks have another g(r)")
            other = ranks % 4 + 1
            on(other, "--restart", f"{ended}.restart.hdf5", *common, "--steps", "13", "--output", str(more),
               "--verify")
            check(files_of(more)[1] == files_of(whole)[1],
                  f"{start} {model}: a restart of {ranks} ranks on {other} has other bits")
    # Frames in HDF5, with one method.
    for ranks in RANKS:
        on(ranks, *GAS, "--periodic", "--steps", "11", "--save-every", "5", "--method", "cells", "--output",
           str(folder / f"{ranks}.h5"), "--dimensions", "3", "--radius-spread", "2", "--integrator", "leapfrog")
        check(files_of(folder / f"{ranks}.h5") == files_of(folder / "1.h5"), f"{ranks} ranks write another trajectory")


def refusals(program, folder, launcher):
    taken = folder / "taken.out"
    taken.mkdir(exist_ok=True)
    run(program, *GAS, "--steps", "2", "--repeat", "1", "--output", str(folder / "x.out"))
    whole = (folder / "x.out.restart.hdf5").read_bytes()
    (folder / "cut.hdf5").write_bytes(whole[:len(whole) // 2])
    before = sorted(folder.iterdir())
    for arguments, about in (
            (["--restart", str(folder / "cut.hdf5")], "cut.hdf5"),
            (["--restart", str(folder / "none.hdf5")], "none.hdf5"),
            (["--restart", str(folder / "x.out.restart.hdf5"), "--dt", "0.1"], "was written by a run"),
            ([*GAS, "--output", str(taken)], "--output"),
            ([*GAS, "--output", str(folder / "none" / "x.h5")], "--output"),
            ([*GAS, "--radial-range", "1e3"], "--radial-range"),
            ([*GAS, "--method", "strips", "--radius-spread", "2"], "--method strips"),
            ([*GAS, "--dt", "1e308", "--steps", "3", "--output", str(folder / "lost.h5")], "after step 1"),
            (["--periodic", "--particles", "10", "--density", "10"], "--periodic needs a region")):
        r = run(*launcher, "3", program, *arguments)
        sentences = [line for line in r.stderr.splitlines() if line.startswith("collide: ")]
        check(r.returncode == 2 and len(sentences) == 1 and about in sentences[0] and "FOM" not in r.stdout,
              f"{arguments} is not refused with one sentence", r)
    check(sorted(folder.iterdir()) == before, "a refused run leaves a file")


if __name__ == "__main__":
    where = pathlib.Path(sys.argv[2])
    where.mkdir(parents=True, exist_ok=True)
    parts = (files, refusals)
    {part.__name__: part for part in parts}[sys.argv[3]](sys.argv[1], where, sys.argv[4:])
