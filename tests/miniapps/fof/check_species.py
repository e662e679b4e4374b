#!/usr/bin/env python3
"""Runs fof on particles of three species, generated here and written as Tipsy. Oracles: groups of
the linked species, and the nearest linked particle of every other particle, by all pairs in numpy;
sums over the resulting members.

Usage: check_species.py PROGRAM FOLDER
"""
import itertools
import json
import pathlib
import struct
import subprocess
import sys

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from program_checks import check  # noqa: E402

SPECIES = ("gas", "dark", "star")  # in the order of a Tipsy file
NUMBERS = {"gas": 300, "dark": 500, "star": 120}
LENGTH = 0.03
MIN_MEMBERS = 6


def make_particles(generator):
    """Clumps with particles of all species in random order, and a background."""
    centres = generator.random((12, 3))
    tables = {}
    for name, n in NUMBERS.items():
        x = centres[generator.integers(0, 12, n)] + generator.normal(0, 0.02, (n, 3))
        x[: n // 4] = generator.random((n // 4, 3))
        if name == "gas":
            x[-5:] = far_from(centres)
        tables[name] = (np.mod(x, 1.0).astype(np.float32), generator.random(n).astype(np.float32))
    # A gas particle at exactly equal distances from two dark particles.
    tables["dark"][0][7] = (0.5, 0.5, 0.5)
    tables["dark"][0][3] = (0.515625, 0.5, 0.5)
    tables["gas"][0][11] = (0.5078125, 0.5, 0.5)
    return tables


def far_from(centres):
    """Gas far from everything: no linked particle is within reach, for any seed."""
    corners = np.array(list(itertools.product((0.02, 0.98), repeat=3)))
    distance = np.abs(corners[:, None] - centres[None])
    far = np.sqrt((np.minimum(distance, 1 - distance) ** 2).sum(2)).min(1)
    return np.repeat(corners[[far.argmax()]], 5, axis=0)


def write_tipsy(path, tables):
    """With velocities along x that cycle through 0, 1 and 2."""
    counts = [len(tables[name][0]) for name in SPECIES]
    data = struct.pack(">diiiiii", 1.0, sum(counts), 3, *counts, 0)
    extra = {"gas": 5, "dark": 2, "star": 4}
    for name in SPECIES:
        for k, (x, m) in enumerate(zip(*tables[name])):
            data += struct.pack(f">{7 + extra[name]}f", m, *x, k % 3, 2, 3, *[0.0] * extra[name])
    path.write_bytes(data)


def apart2(a, b, periodic):
    """Rounded as in fof: float32, squares fused with their sum (exact in double here)."""
    total = np.zeros((len(a), len(b)), np.float32)
    for axis in range(3):
        d = np.abs(a[:, None, axis] - b[None, :, axis])
        if periodic:
            d = np.minimum(d, np.float32(1) - d)
        total = (d.astype(np.float64) ** 2 + total.astype(np.float64)).astype(np.float32)
    return total


def groups_of(d2, reach2):
    """The smallest particle index of each group, propagated along links until nothing changes."""
    labels = np.arange(len(d2))
    friends = d2 < reach2
    while True:
        spread = np.where(friends, labels[None, :], len(d2)).min(1)
        spread = np.minimum(labels, spread)
        if (spread == labels).all():
            return labels
        labels = spread


def expected(tables, linked, periodic, length=LENGTH):
    x = np.concatenate([tables[name][0] for name in SPECIES])
    kind = np.concatenate([[SPECIES.index(name)] * len(tables[name][0]) for name in SPECIES])
    reach2 = np.float32(length) * np.float32(length)
    rows = np.flatnonzero(kind == SPECIES.index(linked))
    others = np.flatnonzero(kind != SPECIES.index(linked))
    labels = np.arange(len(x))
    labels[rows] = rows[groups_of(apart2(x[rows], x[rows], periodic), reach2)]
    d2 = apart2(x[others], x[rows], periodic)
    nearest = d2.argmin(1)  # the first among equals
    near = d2.min(1) < reach2
    labels[others[near]] = labels[rows[nearest[near]]]
    _, inverse = np.unique(labels, return_inverse=True)
    first = np.full(inverse.max() + 1, len(x))
    np.minimum.at(first, inverse, np.arange(len(x)))
    return first[inverse], kind, near.sum()


def check_run(command, folder, tables, linked, periodic):
    snapshot, catalogue, out = folder / "three.tipsy", folder / "three.h5", folder / "three.json"
    catalogue.unlink(missing_ok=True)
    arguments = [*command, "--input", str(snapshot), "--species", linked, "--linking-length",
                 repr(LENGTH), "--min-members", str(MIN_MEMBERS), "--repeat", "1", "--verify",
                 "--output", str(catalogue), "--json", str(out),
                 *(["--periodic", "1"] if periodic else ["--isolated"])]
    if periodic:
        arguments += ["--box", "0,0,0,1,1,1"]
    r = subprocess.run(arguments, capture_output=True, text=True, check=False)
    check(r.returncode == 0, f"{linked}, {periodic}: failed", r)
    labels, kind, attached = expected(tables, linked, periodic)
    results = json.loads(out.read_text())["results"]["species"]
    check(results["attached"] == attached, f"{attached} should be attached", r)
    check(results["linked"] == NUMBERS[linked], "not all are linked", r)
    masses = np.concatenate([tables[name][1] for name in SPECIES])
    with h5py.File(catalogue) as f:
        check((f["labels"][:] == labels).all(), f"{linked}, {periodic}: other labels", r)
        sizes = np.bincount(labels, minlength=len(labels))
        wanted = sorted((-n, label) for label, n in enumerate(sizes) if n >= MIN_MEMBERS)
        check(len(wanted) > 5, "there should be groups", r)
        check(list(f["groups/members"][:]) == [-n for n, _ in wanted], "other sizes", r)
        for g, (_, label) in enumerate(wanted):
            for s in range(3):
                here = (labels == label) & (kind == s)
                check(f["groups/members_by_species"][g, s] == here.sum(), "other counts", r)
                mass = masses[here].astype(np.float64).sum()
                check(abs(f["groups/mass_by_species"][g, s] - mass) <= 1e-12 * (mass + 1),
                      "other masses", r)
            check(f["groups/members_by_species"][g, 3] == 0, "others from nowhere", r)


def check_levels(program, folder, tables):
    """On every level the others are attached with the linking length of that level."""
    catalogue, lengths = folder / "levels.h5", (LENGTH, 0.02)
    r = subprocess.run([program, "--input", str(folder / "three.tipsy"), "--isolated", "--species",
                        "dark", "--linking-length", ",".join(map(str, lengths)), "--repeat", "1",
                        "--min-members", str(MIN_MEMBERS), "--verify", "--output", str(catalogue)],
                       capture_output=True, text=True, check=False)
    check(r.returncode == 0, "groups within groups of a species failed", r)
    with h5py.File(catalogue) as f:
        level, parent, offsets, members = (f[name][:].astype(int) for name in (
            "groups/level", "groups/parent", "membership/offsets", "membership/particles"))
    lists = [members[a:b] for a, b in zip(offsets, offsets[1:])]
    for k, length in enumerate(lengths):
        labels, _, _ = expected(tables, "dark", False, length)
        sizes = np.bincount(labels, minlength=len(labels))
        wanted = sorted((-n, label) for label, n in enumerate(sizes) if n >= MIN_MEMBERS)
        here = [rows for rows, at in zip(lists, level) if at == k]
        check(len(here) > 5 and [(-len(rows), rows[0]) for rows in here] == wanted and
              all((labels[rows] == rows[0]).all() for rows in here),
              f"other groups on level {k}", r)
    for rows, above in zip(lists, parent):
        check(above == 0 or set(rows) <= set(lists[above - 1]), "not within its parent", r)


def check_tree(program, folder, tables):
    """The spanning tree of a species is that of its particles alone, with their indices in the input."""
    dark, first = tables["dark"][0], NUMBERS["gas"]
    alone = folder / "dark.csv"
    alone.write_text("x,y,z\n" + "".join(f"{x[0]!r},{x[1]!r},{x[2]!r}\n" for x in dark.tolist()))
    trees, curves = [], []
    for name, start in (("alone", [str(alone)]), ("species", [str(folder / "three.tipsy"), "--species", "dark"])):
        tree, curve = folder / f"{name}_tree.csv", folder / f"{name}_groups.csv"
        r = subprocess.run([program, "--input", *start, "--isolated", "--linking-length", repr(LENGTH), "--method",
                            "emst-boruvka", "--min-members", str(MIN_MEMBERS), "--repeat", "1", "--output-mst",
                            str(tree), "--dendrogram", str(curve)], capture_output=True, text=True, check=False)
        check(r.returncode == 0, f"the tree of {name} failed", r)
        trees.append(np.loadtxt(tree, delimiter=",", skiprows=1, ndmin=2))
        curves.append(np.loadtxt(curve, delimiter=",", skiprows=1, ndmin=2))
    check(len(trees[0]) == len(dark) - 1 and np.array_equal(trees[1], trees[0] + [first, first, 0]),
          "another spanning tree of a species")
    # The column b depends on the box, which holds all species.
    curves = [np.delete(curve, 1, axis=1) for curve in curves]
    check(len(curves[0]) > 10 and np.array_equal(*curves), "another dendrogram")


def main(program, folder):
    folder.mkdir(parents=True, exist_ok=True)
    tables = make_particles(np.random.default_rng(5))
    write_tipsy(folder / "three.tipsy", tables)
    commands = [[program, "--backend", "serial"], [program], [program, "--method", "kd-tree"]]
    for command in commands:
        for linked in SPECIES:
            for periodic in (True, False):
                check_run(command, folder, tables, linked, periodic)
    check_levels(program, folder, tables)
    check_tree(program, folder, tables)
    common = ["--input", str(folder / "three.tipsy"), "--linking-length", repr(LENGTH), "--repeat",
              "1"]
    # Without --species all particles are linked, and the catalogue still separates species.
    catalogue = folder / "all.csv"
    r = subprocess.run([program, *common, "--output", str(catalogue)], capture_output=True,
                       text=True, check=False)
    check(r.returncode == 0 and "mass_star" in catalogue.read_text(), "no masses", r)
    # Unavailable species are rejected.
    (folder / "plain.csv").write_text("0 0 0\n1 1 1\n")
    for refused in (["--generate", "nfw", "--particles", "1000", "--species", "gas"],
                    ["--input", str(folder / "plain.csv"), "--species", "dark"],
                    [*common, "--species", "axion"]):
        r = subprocess.run([program, *refused], capture_output=True, text=True, check=False)
        check(r.returncode == 2 and len(r.stderr.strip().splitlines()) == 1,
              f"{refused} should be refused in a sentence", r)


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
