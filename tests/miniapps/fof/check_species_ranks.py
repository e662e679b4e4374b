#!/usr/bin/env python3
"""Runs fof --species on several ranks. Oracles: the groups that check_species.py finds by all pairs
in numpy, and the files of one rank with identical datasets and attributes.

Usage: check_species_ranks.py PROGRAM FOLDER MPIEXEC NUMPROC_FLAG
"""
import json
import pathlib
import sys

import numpy as np

import check_owned
import check_species
from program_checks import check  # noqa: E402

BOX = ["--box", "0,0,0,1,1,1", "--periodic", "1"]
CASES = [  # ranks, options
    (2, ["--species", "gas", "--linking-length", "0.03,0.02", *BOX]),
    (3, ["--species", "dark", "--linking-length", "0.03,0.02", "--velocity-link", "inf,0.02",
         "--isolated"]),
    # A gas particle has two dark ones at exactly this distance.
    (5, ["--species", "dark", "--linking-length", "0.0078125", "--inclusive", *BOX]),
    (5, ["--species", "star", "--linking-length", "0.03", "--isolated"]),
]


def numbers_of(path):
    species = json.loads(path.read_text())["results"]["species"]
    del species["seconds"]
    return check_owned.numbers_of(path), species


def same_as_one_rank(program, several, folder, snapshot, options):
    """Compares files and reports with those of one rank; returns those of several ranks."""
    for suffix in ("grp", "h5") if "5" not in several else ("h5",):
        files, reports = [], []
        for command in ([program], several):
            files.append(folder / f"{len(command)}.{suffix}")
            reports.append(folder / f"{len(command)}.json")
            files[-1].unlink(missing_ok=True)
            r = check_owned.run(
                command, "--input", str(snapshot), "--repeat", "1", "--backend", "serial",
                "--output", str(files[-1]), "--json", str(reports[-1]), *options,
                *(["--verify"] if suffix == "h5" else []))
        check(numbers_of(reports[0]) == numbers_of(reports[1]), "other numbers", r)
        if suffix == "grp":
            check(files[0].read_bytes() == files[1].read_bytes(), f"{options}: .grp", r)
    one, all_ = (check_owned.contents(file) for file in files)
    different = [name for name in one if name not in all_ or
                 not np.array_equal(one[name], all_[name])]
    check(check_owned.same(one, all_), f"{several}, {options}: {different}", r)
    return all_, json.loads(reports[1].read_text())["results"], r


def main(program, folder, mpiexec, numproc):
    folder.mkdir(parents=True, exist_ok=True)
    tables = check_species.make_particles(np.random.default_rng(5))
    snapshot = folder / "three.tipsy"
    check_species.write_tipsy(snapshot, tables)
    # One of five ranks has no dark particle, another has only dark particles.
    for ranks, periodic in ((2, True), (5, False)):
        check_species.check_run([mpiexec, numproc, str(ranks), program, "--backend", "serial"],
                                folder, tables, "dark", periodic)
    for ranks, options in CASES:
        found, results, r = same_as_one_rank(program, [mpiexec, numproc, str(ranks), program],
                                             folder, snapshot, [*options, "--min-members", "2"])
        check(results["species"]["attached"] > 5 and len(found["groups/id"]) > 5,
                    f"{options}: too few groups to be a test", r)
        if "--inclusive" in options:  # dark particles 3 and 7 are equally near
            gas, dark = found["labels"][11], found["labels"][check_species.NUMBERS["gas"] + 3]
            check(gas == dark, "of equally near ones the first attaches", r)
    # More ranks than particles, and groups smaller than the number of ranks.
    few = {"gas": ([[0.5, 0.5, 0.5]], [1]), "dark": ([[0.51, 0.5, 0.5]], [2]),
           "star": ([[0.1, 0.5, 0.5]], [3])}
    check_species.write_tipsy(folder / "few.tipsy", few)
    found, _, r = same_as_one_rank(
        program, [mpiexec, numproc, "5", program], folder, folder / "few.tipsy",
        ["--species", "dark", "--linking-length", "0.03", "--min-members", "1", *BOX])
    check(list(found["labels"]) == [0, 0, 2], "gas and dark are a group", r)


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]), *sys.argv[3:])
