#!/usr/bin/env python3
"""Draw the largest haloes of a catalogue and its halo mass function.

    fof --generate nfw --output haloes.h5
    plot_fof.py haloes.h5 -o haloes.png

Left, the 200 largest groups as circles of their r_max, projected along the third axis, with the members of the
largest ones; in the middle, the four largest; right, groups by size. Reads the HDF5 files that `fof
--output` writes. Exit code 2 on bad input.
"""

import argparse
import os
import sys


class BadInput(Exception):
    """One sentence for the user that names the file or option."""


def read_catalogue(path):
    if not os.path.isfile(path):
        raise BadInput(f"{path} does not exist or is not a file")
    try:
        with h5py.File(path, "r") as file:
            groups = {name: file["groups"][name][:] for name in
                      ("members", "centre_of_mass", "r_max")}
            if "level" in file["groups"]:  # groups within groups come after all others
                top = file["groups/level"][:] == 0
                groups = {name: values[top] for name, values in groups.items()}
            offsets = file["membership/offsets"][:]
            position = file["membership/position"][:]
            function = {name: file["mass_function"][name][:] for name in
                        ("lower", "groups")} if "mass_function" in file else None
            box = file.attrs["box_lower"], file.attrs["box_upper"], file.attrs["periodic"]
    except (OSError, KeyError) as error:
        raise BadInput(f"{path} is not a catalogue of fof with positions: {error}") from None
    if not len(groups["members"]):
        raise BadInput(f"{path} has no groups")
    return groups, offsets, position, function, box


def around(position, centre, box):
    """Positions relative to a centre, wrapped to the nearest image if the box is periodic."""
    lower, upper, periodic = box
    relative = position - centre
    for axis in range(3):
        if periodic[axis]:
            period = upper[axis] - lower[axis]
            relative[:, axis] -= period * numpy.round(relative[:, axis] / period)
    return relative


def draw(path, out):
    groups, offsets, position, function, box = read_catalogue(path)
    shown = min(len(groups["members"]), 200)
    figure = pyplot.figure(figsize=(15, 5), layout="constrained")
    whole, largest, counts = figure.subfigures(1, 3)
    axes = whole.subplots()
    last = offsets[shown]
    axes.plot(position[:last, 0], position[:last, 1], ",", color="tab:gray")
    for centre, radius in zip(groups["centre_of_mass"][:shown], groups["r_max"][:shown]):
        axes.add_patch(pyplot.Circle(centre[:2], radius, fill=False, color="tab:red", linewidth=0.5))
    axes.set(aspect="equal", xlim=(box[0][0], box[1][0]), ylim=(box[0][1], box[1][1]), xlabel="x",
             ylabel="y", title=f"the {shown} largest of {len(groups['members'])} groups")
    for g, panel in enumerate(largest.subplots(2, 2).flatten()):
        if g >= len(groups["members"]):
            panel.axis("off")
            continue
        members = around(position[offsets[g]:offsets[g + 1]], groups["centre_of_mass"][g], box)
        panel.plot(members[:, 0], members[:, 1], ".", markersize=1)
        panel.set(aspect="equal", title=f"group {g + 1}: {groups['members'][g]} members")
        panel.tick_params(labelsize=6)
    axes = counts.subplots()
    if function:  # a flat box has none
        axes.step(function["lower"], numpy.maximum(function["groups"], 0.5), where="post")
    axes.set(xscale="log", yscale="log", xlabel="members", ylabel="groups in a bin",
             title="halo mass function")
    temporary = out + ".partial.png"
    try:
        figure.savefig(temporary, dpi=120)
        os.replace(temporary, out)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("catalogue", metavar="FILE", help="HDF5 file written by fof --output")
    parser.add_argument("-o", "--out", required=True, metavar="PNG")
    options = parser.parse_args()
    try:
        try:
            import h5py
            import matplotlib
            import numpy
            matplotlib.use("Agg")
            from matplotlib import pyplot
        except ImportError as missing:
            raise BadInput(f"a Python package is needed: {missing}") from None
        draw(options.catalogue, options.out)
    except (BadInput, OSError) as error:
        print(f"plot_fof.py: error: {error}", file=sys.stderr)
        sys.exit(2)
