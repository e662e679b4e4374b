#!/usr/bin/env python3
"""Draw the largest haloes of a catalogue and its halo mass function.

    fof --generate nfw --output haloes.h5
    plot_fof.py haloes.h5 -o haloes.png
    plot_fof.py haloes.h5 --matter tree.h5 -o haloes.png   all particles, from `orb --output`
    plot_fof.py haloes.h5 --matter tree.h5 --slice 0.5 --thickness 0.3 --bare -o haloes.jpg

Left, the logarithm of the density of matter, projected along the third axis, with the 200 largest groups as circles of
their r_max; in the middle, the four largest; right, groups by size. Without --matter the density is that of the
members of groups. Reads the HDF5 files that `fof --output` writes. Exit code 2 on bad input.
"""

import argparse
import os
import sys

from pictures import BadInput, save

PIXELS, CIRCLES = 480, 200


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


def read_matter(path):
    try:
        with h5py.File(path, "r") as file:
            return file["position"][:]
    except (OSError, KeyError) as error:
        raise BadInput(f"{path} has no positions: {error}") from None


def around(position, centre, box):
    """Positions relative to a centre, wrapped to the nearest image if the box is periodic."""
    lower, upper, periodic = box
    relative = position - centre
    for axis in range(3):
        if periodic[axis]:
            period = upper[axis] - lower[axis]
            relative[:, axis] -= period * numpy.round(relative[:, axis] / period)
    return relative


def draw_density(axes, x, y, extent, pixels):
    """The logarithm of the number of particles on each pixel."""
    counts, _, _ = numpy.histogram2d(x, y, bins=pixels, range=[extent[:2], extent[2:]])
    axes.imshow(numpy.ma.masked_equal(counts.T, 0), origin="lower", extent=extent, norm=LogNorm(),
                cmap="magma", aspect="auto", interpolation="nearest")
    axes.set_facecolor("#000004")


def draw_map(axes, groups, matter, box, slab):
    """The density of matter within a slab of the third axis, and the largest groups in it as circles."""
    lower, upper, _ = box
    low, high = (lower[2] + part * (upper[2] - lower[2]) for part in slab)
    near = (matter[:, 2] >= low) & (matter[:, 2] <= high)
    draw_density(axes, matter[near, 0], matter[near, 1], (lower[0], upper[0], lower[1], upper[1]), PIXELS)
    centre = groups["centre_of_mass"]
    shown = numpy.flatnonzero((centre[:, 2] >= low) & (centre[:, 2] <= high))[:CIRCLES]
    for g in shown:
        axes.add_patch(pyplot.Circle(centre[g, :2], groups["r_max"][g], fill=False, color="#9fe3ff",
                                     linewidth=0.8))
    axes.set(aspect="equal", xlim=(lower[0], upper[0]), ylim=(lower[1], upper[1]))
    return len(shown)


def draw_largest(panels, groups, offsets, position, box):
    for g, panel in enumerate(panels):
        if g >= len(groups["members"]):
            panel.axis("off")
            continue
        members = around(position[offsets[g]:offsets[g + 1]], groups["centre_of_mass"][g], box)
        radius = groups["r_max"][g] or 1.0
        draw_density(panel, members[:, 0], members[:, 1], (-radius, radius, -radius, radius), 64)
        panel.set(aspect="equal", title=f"group {g + 1}: {groups['members'][g]} members")
        panel.tick_params(labelsize=6)


def draw(options):
    groups, offsets, position, function, box = read_catalogue(options.catalogue)
    matter = read_matter(options.matter) if options.matter else position
    slab = (0.0, 1.0) if options.slice is None else (options.slice - options.thickness / 2,
                                                     options.slice + options.thickness / 2)
    if options.bare:
        figure = pyplot.figure(figsize=(4.8, 4.8))
        axes = figure.add_axes((0, 0, 1, 1), xticks=[], yticks=[])
        draw_map(axes, groups, matter, box, slab)
        return save(figure, options.out, 100)
    figure = pyplot.figure(figsize=(15, 5), layout="constrained")
    whole, largest, counts = figure.subfigures(1, 3)
    axes = whole.subplots()
    shown = draw_map(axes, groups, matter, box, slab)
    axes.set(xlabel="x", ylabel="y", title=f"density, the {shown} largest of {len(groups['members'])} groups")
    draw_largest(largest.subplots(2, 2).flatten(), groups, offsets, position, box)
    axes = counts.subplots()
    if function:  # a flat box has none
        axes.step(function["lower"], numpy.maximum(function["groups"], 0.5), where="post")
    axes.set(xscale="log", yscale="log", xlabel="members", ylabel="groups in a bin",
             title="halo mass function")
    return save(figure, options.out, 120)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("catalogue", metavar="FILE", help="HDF5 file written by fof --output")
    parser.add_argument("-o", "--out", required=True, metavar="PNG")
    parser.add_argument("--matter", metavar="FILE", help="HDF5 file with the positions of all particles")
    parser.add_argument("--slice", type=float, metavar="F", help="show only what lies near fraction F of "
                        "the box along the third axis")
    parser.add_argument("--thickness", type=float, metavar="F", default=0.1,
                        help="thickness of the slice, a fraction of the box (default: 0.1)")
    parser.add_argument("--bare", action="store_true", help="the map alone, without axes and title")
    options = parser.parse_args()
    try:
        try:
            import h5py
            import matplotlib
            import numpy
            matplotlib.use("Agg")
            from matplotlib import pyplot
            from matplotlib.colors import LogNorm
        except ImportError as missing:
            raise BadInput(f"a Python package is needed: {missing}") from None
        draw(options)
    except (BadInput, OSError) as error:
        print(f"plot_fof.py: error: {error}", file=sys.stderr)
        sys.exit(2)
