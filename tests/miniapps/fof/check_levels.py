#!/usr/bin/env python3
"""Runs fof with several links at once: groups within groups. Oracles: a separate run for each level
must find the same groups, and the members of a sub-group must be members of its parent.

Usage: check_levels.py PROGRAM FOLDER [MPIEXEC NUMPROC_FLAG]
"""
import json
import pathlib
import sys

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from program_checks import check, run  # noqa: E402

COMMON = ["--generate", "nfw", "--particles", "20000", "--halo-fraction", "0.8", "--repeat", "1",
          "--backend", "serial", "--min-members", "10"]
# Links of each level; inf means 3-D.
CASES = [
    [("--b", "0.3"), ("--b", "0.2"), ("--b", "0.1")],
    [("--b", "0.2", "--velocity-link", "inf"), ("--b", "0.2", "--velocity-link", "1.5"),
     ("--b", "0.15", "--velocity-link", "0.8")],
    [("--linking-length", "0.008", "--velocity-link", "1"),
     ("--linking-length", "0.006", "--velocity-link", "1")],
]
REFUSALS = [
    ["--b", "0.2,0.3"], ["--b", "0.2,"], ["--b", ",0.2"], ["--b", "0.2,x"], ["--b", "0.2,0.2"],
    ["--b", "0.2,0.1,0.05", "--velocity-link", "1,0.5"], ["--velocity-link", "1,2"],
    ["--velocity-link", "1,inf"], ["--b", "inf"], ["--b", "0.2,0.1", "--linking-length", "0.1"],
]


def together(levels):
    """The options for all levels in one run."""
    options = {}
    for level in levels:
        for name, value in zip(level[::2], level[1::2]):
            options.setdefault(name, []).append(value)
    # A single value applies to all levels.
    return [word for name, values in options.items()
            for word in (name, ",".join(values if len(set(values)) > 1 else values[:1]))]


def check_case(command, folder, levels):
    out, catalogue = folder / "levels.json", folder / "levels.h5"
    catalogue.unlink(missing_ok=True)
    r = run(command, *COMMON, *together(levels), "--verify", "--output", str(catalogue), "--json",
            str(out))
    check(r.returncode == 0, f"{levels} failed", r)
    report = json.loads(out.read_text())
    check([entry["level"] for entry in report["results"]["levels"]] ==
          list(range(1, len(levels))), "levels are missing", r)
    checks = {check["name"] for check in report["verification"]["checks"]}
    wanted = ("level_1_groups_unlike_the_reference" if len(command) == 1 else
              "failed_checks_of_groups_within_groups")
    check(wanted in checks, f"not verified: {checks}", r)
    with h5py.File(catalogue) as f:
        level, parent, ids = (f["groups"][name][:].astype(int)
                              for name in ("level", "parent", "id"))
        sizes = f["groups/members"][:]
        offsets, members = f["membership/offsets"][:], f["membership/particles"][:]
        labels = f["labels"][:]
        check(f.attrs["groups"] == (level == 0).sum(), "not the groups of the top", r)
    check(list(ids) == list(range(1, len(ids) + 1)), "ids are no row numbers", r)
    members_of = {i: set(members[a:b]) for i, a, b in zip(ids, offsets, offsets[1:])}
    for k, options in enumerate(levels):
        alone = folder / "alone.h5"
        alone.unlink(missing_ok=True)
        r = run([command[-1]], *COMMON, *options, "--output", str(alone))
        with h5py.File(alone) as f:
            check(k > 0 or (f["labels"][:] == labels).all(), "other labels", r)
            here = ids[level == k]
            check(len(here) > 3 and
                  (members[offsets[here[0] - 1]:offsets[here[-1]]] ==
                   f["membership/particles"][:]).all() and
                  (sizes[level == k] == f["groups/members"][:]).all(),
                  f"{options}: other groups", r)
            check("level" not in f["groups"], "a level without levels", r)
    for i, k, above in zip(ids, level, parent):
        check((above == 0) == (k == 0), "who has a parent?", r)
        if k > 0:
            check(level[above - 1] == k - 1 and members_of[i] <= members_of[above],
                  f"group {i} is no part of {above}", r)


def main(program, folder, *mpi):
    folder.mkdir(parents=True, exist_ok=True)
    if mpi:
        for number, levels in ((2, CASES[1]), (3, CASES[0])):
            check_case([mpi[0], mpi[1], str(number), program], folder, levels)
        return
    for levels in CASES:
        check_case([program], folder, levels)
    numbers = folder / "levels.grp"
    r = run([program], *COMMON, "--b", "0.2,0.1", "--output", str(numbers), "--verify")
    check(r.returncode == 0 and numbers.exists(), "no group numbers", r)
    for arguments in REFUSALS:
        r = run([program], *arguments, "--particles", "1000")
        check(r.returncode == 2 and len(r.stderr.strip().splitlines()) == 1,
              f"{arguments} should be refused in a sentence", r)


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]), *sys.argv[3:])
