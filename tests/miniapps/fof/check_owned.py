#!/usr/bin/env python3
"""Files written by several ranks. Oracle: the files of one rank; every dataset and attribute, or
every byte, must be the same.

Usage: check_owned.py PROGRAM FOLDER MPIEXEC NUMPROC_FLAG
"""
import json
import pathlib
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from program_checks import check, run as run_any  # noqa: E402

CASES = [  # ranks, options
    (3, ["--b", "0.2"]),
    (2, ["--b", "0.2,0.15", "--velocity-link", "inf,1", "--min-members", "10"]),
    (5, ["--b", "0.3,0.2,0.1", "--isolated"]),
    (4, ["--b", "0.01"]),  # no groups
]
COMMON = ["--generate", "nfw", "--particles", "8000", "--repeat", "1", "--backend", "serial"]


def run(command, *arguments):
    r = run_any(command, *arguments)
    check(r.returncode == 0, f"{arguments} failed", r)
    return r


def contents(path):
    """All datasets and attributes of an HDF5 file, by name."""
    found = {}
    with h5py.File(path) as f:
        def visit(name, item):
            if isinstance(item, h5py.Dataset):
                found[name] = item[()]
            for key, value in item.attrs.items():
                found[f"{name}@{key}"] = np.asarray(value)
        f.visititems(visit)
        visit("/", f)
    return found


def same(a, b):
    return a.keys() == b.keys() and all(
        a[name].dtype == b[name].dtype and np.array_equal(a[name], b[name]) for name in a)


def numbers_of(path):
    """The part of a report about groups, without times."""
    results = json.loads(path.read_text())["results"]
    for level in results.get("levels", []):
        del level["seconds"]
    return {name: results.get(name) for name in
            ("groups", "components", "largest_group", "particles_in_groups", "levels")}


def main(program, folder, mpiexec, numproc):
    folder.mkdir(parents=True, exist_ok=True)
    for ranks, options in CASES:
        several = [mpiexec, numproc, str(ranks), program]
        for suffix in ("h5", "csv", "grp", "gtp"):
            if suffix in ("csv", "gtp") and ranks > 3:
                continue
            files, reports = [], []
            for command in ([program], several):
                files.append(folder / f"{len(command)}.{suffix}")
                reports.append(folder / f"{len(command)}.json")
                files[-1].unlink(missing_ok=True)
                r = run(command, *COMMON, *options, "--output", str(files[-1]), "--json",
                        str(reports[-1]), *(["--verify"] if suffix == "h5" else []))
            check(numbers_of(reports[0]) == numbers_of(reports[1]), "other numbers", r)
            if suffix == "h5":
                one, all_ = (contents(file) for file in files)
                different = [name for name in one if name not in all_ or
                             not np.array_equal(one[name], all_[name])]
                check(same(one, all_), f"{ranks} ranks, {options}: {different}", r)
                check(len(one["groups/id"]) > 10 or "0.01" in options, "too few groups", r)
            else:
                check(files[0].read_bytes() == files[1].read_bytes(),
                      f"{ranks} ranks, {options}: another .{suffix}", r)


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]), *sys.argv[3:])
