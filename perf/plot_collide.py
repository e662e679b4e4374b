#!/usr/bin/env python3
"""Draw the particles of a trajectory: a picture of the last frame, or a film of all.

    collide --particles 1000 --steps 1000 --save-every 10 --output run.h5
    plot_collide.py run.h5 -o last.png
    plot_collide.py run.h5 -o film.gif

Particles are discs whose diameter is the distance of contact, so two discs overlap if the two are in contact. Their
colour is the speed, or whether they are in contact with any other. Three dimensions are projected: far particles are
darker. Reads the HDF5 files of `collide --output`, and its text files, which have no velocities. A name in .mp4 needs
the program ffmpeg. Exit code 2 on bad input.
"""

import argparse
import itertools
import os
import shutil
import subprocess
import sys

from pictures import BadInput, closing, exit_code, whole_file

BACKGROUND, WALL, TEXT = "#10141f", "#6b7690", "#d7dceb"
FREE, TOUCHING = "#4f79b8", "#ffb000"
AZIMUTH, ELEVATION = 0.5, 0.35  # of the view of three dimensions, radians
MOST_FRAMES = 300               # of a film


class Trajectory:
    """Positions [n][D] and velocities, or None, of each frame; side [D]; size [n] in cutoffs."""

    def __init__(self, path, cutoff):
        if not os.path.isfile(path):
            raise BadInput(f"{path} does not exist or is not a file")
        self.periodic, self.cutoff, self.frames = False, cutoff or 0.01, []
        if path.endswith((".h5", ".hdf5")):
            self.read_hdf5(path, cutoff)
        else:
            self.read_text(path)
        if not self.frames:
            raise BadInput(f"{path} has no frame")

    def read_hdf5(self, path, cutoff):
        try:
            with h5py.File(path, "r") as file:
                for name in sorted(file["frame"]):
                    frame = file["frame"][name]
                    self.frames.append((frame["position"][:], frame["velocity"][:],
                                        f"step {frame.attrs['step']:,}    t = {frame.attrs['time']:.4g}"))
                self.side = numpy.array(file.attrs["side"], float)
                self.periodic = bool(file.attrs["periodic"])
                self.cutoff = cutoff or float(file.attrs["cutoff"])
                self.size = file["size"][:] if "size" in file else numpy.ones(len(self.frames[0][0]))
        except OSError as error:
            raise BadInput(f"{path} is not a readable HDF5 file: {error}") from None
        except (KeyError, IndexError) as error:
            raise BadInput(f"{path} is not a trajectory of collide --output: {error.args[0]}") from None

    def read_text(self, path):
        """A line "n L" or "n Lx Ly", then n lines of coordinates and an empty one for each frame."""
        try:
            with open(path, encoding="ascii") as file:
                head, second = file.readline().split(), file.readline()
                numbers = numpy.array((second + file.read()).split(), float)
            n, side, columns = int(head[0]), [float(x) for x in head[1:]], len(second.split())
            self.side = numpy.array(side * columns if len(side) == 1 else side)
            if n < 1 or columns not in (2, 3) or len(self.side) != columns or len(numbers) % (n * columns):
                raise ValueError("the number of coordinates is not that of whole frames")
        except (ValueError, IndexError, UnicodeDecodeError) as error:
            raise BadInput(f"{path} is not a trajectory of collide --output: {error}") from None
        frames = numbers.reshape(-1, n, columns)
        self.frames = [(x, None, f"frame {k + 1} of {len(frames)}") for k, x in enumerate(frames)]
        self.size = numpy.ones(n)

    def with_images(self, position):
        """Positions with those of periodic images that reach into the region, and the rows of all."""
        rows = numpy.arange(len(position))
        if not self.periodic:
            return position, rows
        reach = self.cutoff * self.size.max()
        copies, all_rows = [position], [rows]
        for shift in itertools.product((-1, 0, 1), repeat=len(self.side)):
            if any(shift):
                moved = position + numpy.array(shift) * self.side
                near = ((moved > -reach) & (moved < self.side + reach)).all(axis=1)
                copies.append(moved[near])
                all_rows.append(rows[near])
        return numpy.concatenate(copies), numpy.concatenate(all_rows)

    def touching(self, position):
        """Which particles are in contact: sorted along x, compared with the next ones, as sweep and prune does."""
        x, rows = self.with_images(position)
        order = x[:, 0].argsort(kind="stable")
        x, rows = x[order], rows[order]
        reach = 0.5 * self.cutoff * self.size[rows]
        found = numpy.zeros(len(position), bool)
        for ahead in range(1, len(x)):
            near = x[ahead:, 0] - x[:-ahead, 0] <= 2 * reach.max()
            if not near.any():
                break
            i = near.nonzero()[0]
            j = i + ahead
            pairs = ((x[i] - x[j]) ** 2).sum(axis=1) <= (reach[i] + reach[j]) ** 2
            found[rows[i[pairs]]] = found[rows[j[pairs]]] = True
        return found


class Scene:
    """A figure whose discs and title change from frame to frame."""

    def __init__(self, trajectory, by_speed, pixels):
        self.trajectory, self.deep = trajectory, len(trajectory.side) == 3
        self.figure = pyplot.figure(figsize=(pixels / 100, pixels / 100), dpi=100, facecolor=BACKGROUND)
        self.axes = self.figure.add_axes([0.03, 0.03, 0.94, 0.86])
        self.axes.set_axis_off()
        self.axes.set_aspect("equal")
        self.draw_region()
        points = numpy.array(list(itertools.product(*((0.0, s) for s in trajectory.side))))
        corners = self.project(points)[0]
        margin = 0.01 * (corners.max(axis=0) - corners.min(axis=0)).max()
        low, high = corners.min(axis=0) - margin, corners.max(axis=0) + margin
        self.axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        self.clip = None
        if trajectory.periodic and not self.deep:
            self.clip = pyplot.Rectangle((0, 0), *trajectory.side, transform=self.axes.transData)
        self.top = 1.0
        if by_speed:
            speeds = numpy.concatenate([numpy.linalg.norm(v, axis=1) for _, v, _ in trajectory.frames])
            self.top = numpy.quantile(speeds, 0.995) or 1.0
        # The darkest colours would vanish in the background.
        self.map = ListedColormap(pyplot.get_cmap("plasma")(numpy.linspace(0.2, 1, 256)))
        self.by_speed, self.discs = by_speed, None
        at = dict(color=TEXT, va="center", family="sans-serif")
        n = len(trajectory.size)
        self.figure.text(0.04, 0.955, f"{n:,} particles", ha="left", fontsize=pixels / 55, **at)
        self.when = self.figure.text(0.04, 0.92, "", ha="left", fontsize=pixels / 75, **at)
        self.draw_key(pixels, at)

    def project(self, x):
        """Coordinates in the picture, and the depth from 0 (near) to 1 (far)."""
        if not self.deep:
            return x, numpy.zeros(len(x))
        (s, c), (t, u) = ((numpy.sin(a), numpy.cos(a)) for a in (AZIMUTH, ELEVATION))
        axes = numpy.array([[c, s, 0], [-s * t, c * t, u], [s * u, -c * u, t]])  # right, up, towards the eye

        def turned(y):
            return (y - 0.5 * self.trajectory.side) @ axes.T

        corners = turned(numpy.array(list(itertools.product(*((0.0, l) for l in self.trajectory.side)))))
        y = turned(x)
        far, near = corners[:, 2].min(), corners[:, 2].max()
        return y[:, :2], numpy.clip((near - y[:, 2]) / (near - far), 0, 1)

    def draw_region(self):
        side, style = self.trajectory.side, "--" if self.trajectory.periodic else "-"
        for corner in itertools.product((0, 1), repeat=len(side)):
            for axis in range(len(side)):
                if corner[axis] == 0:
                    other = list(corner)
                    other[axis] = 1
                    ends, depth = self.project(numpy.array([corner, other]) * side)
                    behind = self.deep and depth.max() > 0.999
                    self.axes.plot(*ends.T, style, color=WALL, linewidth=0.7 if behind else 1.4,
                                   zorder=0 if behind else 3)

    def draw_key(self, pixels, at):
        if not self.by_speed:
            for x, colour, text in ((0.66, TOUCHING, "in contact"), (0.84, FREE, "free")):
                self.figure.text(x, 0.94, "\u25cf", **{**at, "color": colour}, fontsize=pixels / 45)
                self.figure.text(x + 0.03, 0.94, text, fontsize=pixels / 75, **at)
            return
        key = self.figure.add_axes([0.66, 0.945, 0.3, 0.015])
        key.imshow(numpy.linspace(0, 1, 256)[None, :], aspect="auto", cmap=self.map)
        key.set_axis_off()
        for x, text in ((0.66, "0"), (0.81, "speed"), (0.96, f"{self.top:.2g}")):
            ha = {0.66: "left", 0.81: "center", 0.96: "right"}[x]
            self.figure.text(x, 0.92, text, ha=ha, fontsize=pixels / 75, **at)

    def show(self, frame):
        position, velocity, when = frame
        if self.by_speed:
            colours = self.map(numpy.linalg.norm(velocity, axis=1) / self.top)
        else:
            touching = self.trajectory.touching(position)
            colours = numpy.where(touching[:, None], to_rgba(TOUCHING), to_rgba(FREE))
        x, rows = (position, numpy.arange(len(position))) if self.deep else self.trajectory.with_images(position)
        flat, depth = self.project(x)
        order = (-depth).argsort(kind="stable")
        flat, rows, depth = flat[order], rows[order], depth[order][:, None]
        shaded = colours[rows] * (1 - 0.75 * depth) + numpy.array(to_rgba(BACKGROUND)) * 0.75 * depth
        width = self.trajectory.cutoff * self.trajectory.size[rows]
        if self.discs:
            self.discs.remove()
        # A disc of less than two pixels is drawn as one of two.
        pixel = (self.axes.get_xlim()[1] - self.axes.get_xlim()[0]) / (94 * self.figure.get_figwidth())
        width = numpy.maximum(width, 2 * pixel)
        edge = 0.3 if width.max() > 8 * pixel else 0.0
        self.discs = EllipseCollection(width, width, numpy.zeros(len(width)), units="xy", facecolors=shaded,
                                       edgecolors=BACKGROUND, linewidths=edge, offsets=flat,
                                       offset_transform=self.axes.transData, zorder=2)
        self.axes.add_collection(self.discs)
        if self.clip:
            self.discs.set_clip_path(self.clip)
        self.when.set_text(when)

    def image(self, frame):
        self.show(frame)
        self.figure.canvas.draw()
        return Image.fromarray(numpy.asarray(self.figure.canvas.buffer_rgba())[:, :, :3].copy())


def write_gif(scene, frames, path, fps):
    """All frames share the colours of the middle one, so that nothing flickers."""
    images = [scene.image(frame) for frame in frames]
    palette = images[len(images) // 2].quantize(colors=128)
    images = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    images[0].save(path, save_all=True, append_images=images[1:], duration=1000 / fps, loop=0, optimize=False)


def write_mp4(scene, frames, path, fps):
    first = scene.image(frames[0])
    command = ["ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size",
               f"{first.width}x{first.height}", "-framerate", str(fps), "-i", "-", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2",
               "-pix_fmt", "yuv420p", path]
    data = b"".join(scene.image(frame).tobytes() for frame in frames)
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    if done.returncode:
        raise OSError(done.stderr.decode(errors="replace").strip().split("\n")[-1])


def draw(options):
    ending = os.path.splitext(options.out)[1]
    if ending not in (".png", ".gif", ".mp4"):
        raise BadInput(f"--out {options.out}: the name must end in .png, .gif or .mp4")
    if ending == ".mp4" and not shutil.which("ffmpeg"):
        raise BadInput(f"--out {options.out} needs the program ffmpeg; a name in .gif does not")
    if not 0 < options.fps <= 100:
        raise BadInput(f"--fps {options.fps:g} is not above 0 and at most 100")
    if not 100 <= options.size <= 10000:
        raise BadInput(f"--size {options.size} is not from 100 to 10000")
    if options.cutoff is not None and not 0 < options.cutoff < float("inf"):
        raise BadInput(f"--cutoff {options.cutoff:g} is not a positive number")
    trajectory = Trajectory(options.trajectory, options.cutoff)
    moving = trajectory.frames[0][1] is not None
    if options.colour == "speed" and not moving:
        raise BadInput(f"--colour speed: {options.trajectory} has no velocities")
    scene = Scene(trajectory, moving if options.colour is None else options.colour == "speed", options.size)
    every = -(-len(trajectory.frames) // MOST_FRAMES)
    frames = trajectory.frames[::every]
    with closing(scene.figure), whole_file(options.out) as temporary:
        if ending == ".png":
            scene.image(trajectory.frames[-1]).save(temporary)
        else:
            (write_gif if ending == ".gif" else write_mp4)(scene, frames, temporary, options.fps)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trajectory", metavar="FILE", help="written by collide --output")
    parser.add_argument("-o", "--out", required=True, metavar="FILE",
                        help=".png: the last frame; .gif or .mp4: a film")
    parser.add_argument("--colour", choices=("speed", "contact"), help="default: speed, if there are velocities")
    parser.add_argument("--fps", type=float, default=20.0, help="frames a second of a film (20)")
    parser.add_argument("--size", type=int, default=800, help="side of the picture in pixels (800)")
    parser.add_argument("--cutoff", type=float, help="distance of contact; default: that of the file, or 0.01")
    return exit_code("plot_collide.py", draw, parser.parse_args())


if __name__ == "__main__":
    try:
        import h5py
        import matplotlib
        import numpy

        matplotlib.use("Agg")
        from matplotlib import pyplot
        from matplotlib.collections import EllipseCollection
        from matplotlib.colors import ListedColormap, to_rgba
        from PIL import Image
    except ImportError as missing:
        print(f"plot_collide.py needs numpy, h5py, matplotlib and Pillow: {missing}", file=sys.stderr)
        sys.exit(2)
    sys.exit(main())
