#!/usr/bin/env python3
"""Draw the gravitational field of bodies.

    gravity --generate nfw --softening 0.001 --output fields.h5
    plot_gravity.py fields.h5 -o fields.png

Left, the lowest potential, and in the middle, the strongest acceleration along each line of sight, which is parallel
to the third axis. A cross marks the body of the lowest potential. Right, the accelerations towards it in shells
around it, as far as five of six bodies are pulled there, and those of the enclosed mass alone, G M(<r) / r^2. The two
agree beyond a few softening lengths if the halo around the cross is a sphere and stronger than everything else. Reads
the HDF5 files that `gravity --output` writes. Exit code 2 on bad input.
"""

import argparse
import os
import sys

from pictures import BadInput, exit_code, save

PIXELS = 128
SHELLS = 40
BODIES_OF_A_SHELL = 10


def text_of(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def read_fields(path):
    if not os.path.isfile(path):
        raise BadInput(f"{path} does not exist or is not a file")
    try:
        with h5py.File(path, "r") as file:
            position, mass, acceleration, potential = (
                file[name][:].astype(float) for name in ("position", "mass", "acceleration", "potential"))
            g, softening = float(file.attrs["G"]), float(file.attrs["softening"])
            title = (f"{len(mass):,} bodies, method {text_of(file.attrs['method'])}, moments to order "
                     f"{file.attrs['order']}, opening angle {file.attrs['theta']:g}")
    except OSError as error:
        raise BadInput(f"{path} is not a readable HDF5 file: {error}") from None
    except KeyError as error:
        raise BadInput(f"{path} is not a file of gravity --output: {error.args[0]}") from None
    n = len(mass)
    if position.shape != (n, 3) or acceleration.shape != (n, 3) or potential.shape != (n,):
        raise BadInput(f"{path}: the datasets differ in length")
    if not acceleration.any():
        raise BadInput(f"{path}: no body is accelerated")
    return position, mass, acceleration, potential, g, softening, title


def largest_along(position, value):
    """The largest value of each pixel in the first two axes, masked where there is none, and the edges."""
    edges = [(position[:, a].min(), position[:, a].max()) for a in (0, 1)]
    side = max(high - low for low, high in edges) or 1.0
    edges = [(0.5 * (low + high - side), 0.5 * (low + high + side)) for low, high in edges]
    i, j = (numpy.clip((position[:, a] - edges[a][0]) / side * PIXELS, 0, PIXELS - 1).astype(int) for a in (0, 1))
    pixels = numpy.full((PIXELS, PIXELS), -numpy.inf)
    numpy.maximum.at(pixels, (j, i), value)
    return numpy.ma.masked_invalid(pixels), (*edges[0], *edges[1])


def draw_map(figure, axes, pixels, extent, centre, label, title, **colours):
    image = axes.imshow(pixels, origin="lower", extent=extent, interpolation="nearest", **colours)
    figure.colorbar(image, ax=axes, fraction=0.046, pad=0.03, label=label)
    axes.plot(*centre[:2], "+", color="white", markersize=12, markeredgewidth=1.2,
              path_effects=[withStroke(linewidth=3, foreground="black")])
    axes.set_xlabel("x [length]")
    axes.set_ylabel("y [length]")
    axes.set_title(title, loc="left", fontsize="medium")


def draw_profile(axes, position, mass, acceleration, centre, g, softening):
    """Quantiles of the inward acceleration in logarithmic shells, and the field of the enclosed mass."""
    offset = position - centre
    distance = numpy.linalg.norm(offset, axis=1)
    order = distance.argsort()
    order = order[distance[order] > 0.0]
    r = distance[order]
    inward = -(acceleration[order] * offset[order]).sum(axis=1) / r
    enclosed = mass.sum() - mass[order].sum() + numpy.cumsum(mass[order]) - mass[order]
    first = r.searchsorted(numpy.geomspace(r[0], r[-1] * (1.0 + 1e-9), SHELLS + 1))
    radius, newton, quantiles = [], [], []
    for begin, end in zip(first, first[1:]):
        if end - begin < BODIES_OF_A_SHELL:
            continue
        low, median, high = numpy.quantile(inward[begin:end], (0.16, 0.5, 0.84))
        if low <= 0.0:
            break
        radius.append(numpy.median(r[begin:end]))
        newton.append(g * numpy.median(enclosed[begin:end] / r[begin:end]**2))
        quantiles.append((low, median, high))
    axes.set_box_aspect(1)
    axes.set_title("acceleration around the cross", loc="left", fontsize="medium")
    axes.set_xlabel("distance from the cross [length]")
    axes.set_ylabel("acceleration towards the cross [G mass / length$^2$]")
    if len(radius) < 2:
        axes.text(0.5, 0.5, "no halo of enough bodies", transform=axes.transAxes, ha="center")
        return
    low, median, high = zip(*quantiles)
    axes.fill_between(radius, low, high, color="#1f4e79", alpha=0.25, linewidth=0, label="68 % of the bodies")
    axes.plot(radius, median, color="#1f4e79", label="their median")
    axes.plot(radius, newton, "--", color="#c0392b", label=r"$G\,M(<r)\,/\,r^2$")
    if softening >= radius[0]:
        axes.axvline(softening, color="gray", linestyle=":", label="softening length")
    axes.set(xscale="log", yscale="log", ylim=(0.5 * min(median), 3.0 * max(median + tuple(newton))))
    axes.legend(loc="upper right", frameon=False, fontsize="small")


def draw(path, out):
    position, mass, acceleration, potential, g, softening, title = read_fields(path)
    strength = numpy.linalg.norm(acceleration, axis=1)
    centre = position[potential.argmin()]
    figure, (wells, pulls, profile) = pyplot.subplots(1, 3, figsize=(15, 4.9), layout="constrained")
    figure.suptitle(title)
    depth, extent = largest_along(position, -potential)
    draw_map(figure, wells, -depth, extent, centre, "potential [G mass / length]",
             "lowest potential along the line of sight", cmap="magma_r")
    pull, extent = largest_along(position, strength)
    draw_map(figure, pulls, numpy.ma.masked_less_equal(pull, 0.0), extent, centre,
             "acceleration [G mass / length$^2$]", "strongest acceleration along the line of sight",
             cmap="viridis", norm=LogNorm())
    draw_profile(profile, position, mass, acceleration, centre, g, softening)
    save(figure, out, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fields", metavar="FILE.h5", help="written by gravity --output")
    parser.add_argument("-o", "--out", required=True, metavar="FILE", help="picture; the suffix selects the format")
    options = parser.parse_args()
    return exit_code("plot_gravity.py", draw, options.fields, options.out)


if __name__ == "__main__":
    try:
        import h5py
        import matplotlib
        import numpy

        matplotlib.use("Agg")
        from matplotlib import pyplot
        from matplotlib.colors import LogNorm
        from matplotlib.patheffects import withStroke
    except ImportError as missing:
        print(f"plot_gravity.py needs numpy, h5py and matplotlib: {missing}", file=sys.stderr)
        sys.exit(2)
    sys.exit(main())
