#!/usr/bin/env python3
"""Draw the domains of an ORB over its particles.

    orb --generate plummer --leaves 64 --output tree.h5
    plot_orb.py tree.h5 -o picture.png
    plot_orb.py tree.h5 other.h5 -o both.png          one row of panels per file
    plot_orb.py tree.h5 -o slice.png --slice 0.5      boxes and particles near half of the third axis
    plot_orb.py tree.h5 -o map.jpg --axes xy --slice 0.5 --thickness 0.3 --bare     for a page

Particles are projected along the axis that a panel does not show: as dots if they are few, as the
logarithm of their density if they are many. Without --slice a panel shows the boxes of all leaves,
which overlap in projection; with it only those that the plane intersects.

Reads the HDF5 files that `orb --output` writes. Exit code 2 on bad input.
"""

import argparse
import os
import sys
from dataclasses import dataclass

from pictures import BadInput, exit_code, save

AXES = "xyz"
DOTS_AT_MOST = 20_000
PIXELS = 512
DENSITY, NOTHING = "magma", "#000004"  # the map's colours, and its lowest one for empty places


@dataclass
class Orb:
    """Leaf boxes [d][3] and particles [n][3] in tree order; `position` is None if not stored."""

    name: str
    lower: "numpy.ndarray"
    upper: "numpy.ndarray"
    box: tuple
    position: "numpy.ndarray"
    particles: int
    rule: str

    @property
    def leaves(self):
        return len(self.lower)


def read_orb(path):
    if not os.path.isfile(path):
        raise BadInput(f"{path} does not exist or is not a file")
    try:
        with h5py.File(path, "r") as file:
            tree = file["tree"]
            is_leaf = tree["leaves"][:] == 1
            lower, upper = tree["lower"][:], tree["upper"][:]
            box = tree.attrs["box_lower"], tree.attrs["box_upper"]
            rule = tree.attrs["leaf_rule"]
            rule = rule.decode() if isinstance(rule, bytes) else str(rule)
            particles = file["permutation" if "permutation" in file else "position"].shape[0]
            position = file["position"][:] if "position" in file else None
    except OSError as error:
        raise BadInput(f"{path} is not a readable HDF5 file: {error}") from None
    except KeyError as error:
        raise BadInput(f"{path} is not a file of orb --output: {error.args[0]}") from None
    shapes = {lower.shape, upper.shape, (len(is_leaf), 3)}
    if len(shapes) != 1 or (position is not None and position.shape != (particles, 3)):
        raise BadInput(f"{path}: the datasets of the tree or the particles differ in length")
    if not is_leaf.any():
        raise BadInput(f"{path}: the tree has no leaves")
    return Orb(os.path.basename(path), lower[is_leaf], upper[is_leaf], box, position, particles,
               rule)


def panel_axes(text):
    if text == "all":
        return [(0, 1), (0, 2), (1, 2)]
    if len(text) != 2 or text[0] == text[1] or any(c not in AXES for c in text):
        raise BadInput(f"--axes {text}: give two different ones of x, y, z, or 'all'")
    return [(AXES.index(text[0]), AXES.index(text[1]))]


def draw_particles(axes, position, x, y, extent):
    if len(position) <= DOTS_AT_MOST:
        size = 4.0 if len(position) > 500 else 16.0
        axes.plot(position[:, x], position[:, y], ".", markersize=size**0.5, color="#1f4e79",
                  alpha=0.6, markeredgewidth=0)
        return
    (x0, x1), (y0, y1) = extent
    counts, _, _ = numpy.histogram2d(position[:, x], position[:, y], bins=PIXELS,
                                     range=[[x0, x1], [y0, y1]])
    axes.imshow(numpy.ma.masked_equal(counts.T, 0), origin="lower", extent=(x0, x1, y0, y1),
                norm=LogNorm(), cmap=DENSITY, aspect="auto", interpolation="nearest")


def draw_panel(axes, orb, x, y, slice_at, thickness):
    lower, upper, position = orb.lower, orb.upper, orb.position
    z = 3 - x - y
    if slice_at is not None:
        low, high = float(orb.box[0][z]), float(orb.box[1][z])
        plane = low + slice_at * (high - low)
        cut = (lower[:, z] <= plane) & (plane <= upper[:, z])
        lower, upper = lower[cut], upper[cut]
        if position is not None:
            near = numpy.abs(position[:, z] - plane) <= thickness / 2 * (high - low)
            position = position[near]

    extent = []
    for axis in (x, y):
        low, high = float(orb.box[0][axis]), float(orb.box[1][axis])
        # A flat axis still needs some width to be drawn.
        margin = 0.0 if high > low else 0.5
        extent.append((low - margin, high + margin))
    if position is not None and len(position):
        draw_particles(axes, position, x, y, extent)

    corners = numpy.stack([
        numpy.stack([lower[:, x], lower[:, y]], axis=1),
        numpy.stack([upper[:, x], lower[:, y]], axis=1),
        numpy.stack([upper[:, x], upper[:, y]], axis=1),
        numpy.stack([lower[:, x], upper[:, y]], axis=1),
    ], axis=1)
    width = 1.2 if len(corners) <= 256 else 0.4
    dark = position is not None and len(position) > DOTS_AT_MOST
    axes.set_facecolor(NOTHING if dark else "white")
    axes.add_collection(PolyCollection(corners, facecolors="none", linewidths=width,
                                       edgecolors="#9fe3ff" if dark else "#c0392b"))
    axes.set_xlim(extent[0])
    axes.set_ylim(extent[1])
    axes.set_aspect("equal", adjustable="box")
    axes.set_xlabel(AXES[x])
    axes.set_ylabel(AXES[y])


def draw_bare(orb, panel, slice_at, thickness, path):
    """One panel that fills a square picture, without axes."""
    figure = pyplot.figure(figsize=(4.8, 4.8))
    axes = figure.add_axes((0, 0, 1, 1))
    draw_panel(axes, orb, *panel, slice_at, thickness)
    axes.set(xticks=[], yticks=[], xlabel="", ylabel="")
    save(figure, path, 100, "--output")


def draw(orbs, panels, slice_at, thickness, path):
    figure, grid = pyplot.subplots(len(orbs), len(panels), squeeze=False, layout="constrained",
                                   figsize=(5.0 * len(panels), 5.4 * len(orbs)))
    for row, orb in zip(grid, orbs):
        title = f"N = {orb.particles:,}, d = {orb.leaves:,} ({orb.rule})"
        if len(orbs) > 1:
            title = f"{orb.name}: {title}"
        if orb.position is None:
            title += ", particles not stored"
        row[0].set_title(title, loc="left")
        for axes, (x, y) in zip(row, panels):
            draw_panel(axes, orb, x, y, slice_at, thickness)
    save(figure, path, 150, "--output")


def run(options):
    if options.slice is not None and not 0.0 <= options.slice <= 1.0:
        raise BadInput(f"--slice {options.slice}: give a fraction between 0 and 1")
    if not 0.0 < options.thickness <= 1.0:
        raise BadInput(f"--thickness {options.thickness}: give a fraction above 0, at most 1")
    panels = panel_axes(options.axes)
    orbs = [read_orb(path) for path in options.files]
    if not options.bare:
        draw(orbs, panels, options.slice, options.thickness, options.output)
    elif len(orbs) == len(panels) == 1:
        draw_bare(orbs[0], panels[0], options.slice, options.thickness, options.output)
    else:
        raise BadInput("--bare draws one file and one pair of --axes")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", metavar="FILE.h5", nargs="+", help="written by orb --output")
    parser.add_argument("-o", "--output", required=True, help="picture; the suffix selects the format")
    parser.add_argument("--axes", default="all",
                        help="'all' for three projections, or one pair such as xy (default: all)")
    parser.add_argument("--slice", type=float, metavar="F",
                        help="show only what lies at fraction F of the box along the third axis: "
                             "leaves that the plane cuts, particles near it")
    parser.add_argument("--thickness", type=float, metavar="F", default=0.02,
                        help="thickness of the slice of particles, a fraction of the box (default: 0.02)")
    parser.add_argument("--bare", action="store_true",
                        help="the panel of one file and one --axes alone, without axes and title")
    return exit_code("plot_orb.py", run, parser.parse_args())


if __name__ == "__main__":
    try:
        import h5py
        import matplotlib
        import numpy

        matplotlib.use("Agg")
        from matplotlib import pyplot
        from matplotlib.collections import PolyCollection
        from matplotlib.colors import LogNorm
    except ImportError as missing:
        print(f"plot_orb.py needs numpy, h5py and matplotlib: {missing}", file=sys.stderr)
        sys.exit(2)
    sys.exit(main())
