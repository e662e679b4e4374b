"""Draws rooflines: axes with ceilings, points, and legends that overlap neither."""

import math
import os

from counted import work
from machine import BadMachine

SHAPE_NAMES = {"scalar": "scalar", "vector": "vectors", "thread": ""}
RUN_MARKERS = "oD^vPXh<>*"
LINE = 0.13  # inches per line of small text
LABEL, CEILING = 7, "ceiling"  # points of the name of a ceiling, and its id
PANEL = (7.5, 6.0)  # inches
AXIS = 0.65  # inches below and above a panel: its axis and label, its title


def pyplot():
    """matplotlib without a display."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        raise BadMachine("drawing needs matplotlib") from None
    return plt


def new_figure():
    """A figure with one pair of axes."""
    return pyplot().subplots(figsize=PANEL)


def save(figure, path):
    """Writes a picture to a temporary file, then renames it."""
    temporary = f"{path}.part"
    figure.savefig(temporary, format="png", dpi=120)
    os.replace(temporary, path)
    pyplot().close(figure)


def in_words(rate, unit):
    """A rate in 10^9 or 10^12."""
    return f"{rate / 1e12:.4g} T{unit}" if rate >= 1e12 else f"{rate / 1e9:.4g} G{unit}"


def draw_ceilings(axes, bandwidths, peaks, style="-", reach=(2**-6, 2**17)):
    """Slanted lines for bandwidths and horizontal ones for peaks: [(name, per second)] each, in any
    order; a bandwidth without a name is not labelled. A bandwidth ends at the highest peak, a peak
    begins at the fastest bandwidth. Names are beside the ends of their lines, where no kernel is; `finish`
    moves them apart."""
    if not peaks or not bandwidths:
        return
    highest = max(rate for _, rate in peaks)
    fastest = max(rate for _, rate in bandwidths)
    color = "0.25" if style == "-" else "C3"

    def label(text, at, side):
        axes.annotate(text, at, fontsize=LABEL, color=color, ha=side, va="center", gid=CEILING,
                      xytext=(3 if side == "left" else -2, 0), textcoords="offset points")
    for name, rate in bandwidths:
        ridge = highest / rate
        axes.plot([reach[0], ridge], [reach[0] * rate / 1e9, highest / 1e9], color=color,
                  linestyle=style, linewidth=1.2)
        if name:
            label(f"{name} {in_words(rate, 'B/s')}", (reach[0], reach[0] * rate / 1e9), "right")
    for name, rate in peaks:
        begin = min(rate / fastest, reach[1] / 2)
        axes.plot([begin, reach[1]], [rate / 1e9, rate / 1e9], color=color, linestyle=style,
                  linewidth=1.2)
        label(f"{name}: {in_words(rate, '/s')}", (reach[1], rate / 1e9), "left")


def labels_of(axes):
    """The names of the ceilings."""
    return [text for text in axes.texts if text.get_gid() == CEILING]


def spread(wanted, apart):
    """Places that are `apart` or farther from each other, as near to the wanted ones as possible (least squares); both
    ascending."""
    blocks = []  # [mean of the wanted places less those in a block that begins at 0, their number]
    for number, place in enumerate(wanted):
        blocks.append([place - number * apart, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, count = blocks.pop()
            before, others = blocks[-1]
            blocks[-1] = [(before * others + mean * count) / (others + count), others + count]
    begins = [mean for mean, count in blocks for _ in range(count)]
    return [begin + number * apart for number, begin in enumerate(begins)]


def part_labels(axes):
    """Moves the names of ceilings up and down until none covers another. The axes have their final size and limits."""
    points = 72 / axes.figure.dpi
    for side in ("left", "right"):
        labels = [(axes.transData.transform(label.xy)[1] * points, label) for label in labels_of(axes)
                  if label.get_ha() == side]
        labels.sort(key=lambda item: item[0])
        for (at, label), place in zip(labels, spread([at for at, _ in labels], 1.3 * LABEL)):
            label.set_position((label.get_position()[0], place - at))


def finish(axes, title, kind):
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set(xlabel=f"{kind} per byte", ylabel=f"$10^9$ {kind}/s", title=title)
    axes.grid(alpha=0.3, which="both", linewidth=0.4)
    axes.margins(0.03, 0.08)
    left, right = axes.get_xlim()
    axes.set_xlim(min(left, 2**-13), max(right, 2**26))  # room for the names of ceilings
    part_labels(axes)


def look_of(run, number):
    """Colour and marker of a kernel: each run has a marker; its kernels have ten colours and then their
    pale variants. This distinguishes ten runs of twenty kernels."""
    color = pyplot().get_cmap("tab20")(2 * (number % 10) + number // 10 % 2)
    return color, RUN_MARKERS[run % len(RUN_MARKERS)]


def percent(point):
    """The share of its binding ceiling that a kernel reaches; a minimum if its work is a lower bound."""
    share = point["of_bound"]
    return (">= " if point.get("lower_bound") else "") + f"{share:.{0 if share >= 0.01 else 1}%}"


def name_of(point):
    return " ".join(filter(None, (point["label"].removeprefix("copse::"), point.get("of"))))


def legend_of(run, point):
    issue = point.get("counted", {}).get("of_issue")
    return (f"{run}, {name_of(point)}: {point.get('share', 0):.1%} of the run, "
            f"{percent(point)} of {point['binding']}"
            + (f", counted {issue:.0%} of issue" if issue else ""))


def draw_point(axes, point, quantity, color, marker):
    """Draws a kernel at its operations per byte and 10^9 operations per second; operations that are
    flops are in the panel of flops alone. \\return was it drawn"""
    seconds, counted = point["seconds"], point.get("counted", {})
    drawn = False
    modelled = point.get(quantity) and (quantity != "operations" or point.get("unit") != "float")
    if modelled and point.get("memory"):
        at = [point[quantity] / point["memory"]]
        height = point[quantity] / seconds / 1e9
        least = point.get("lower_bound")
        axes.scatter(at[0], height, s=max(2000 * point.get("share", 0), 12), color=color,
                     marker=marker, alpha=0.35 if least else 0.7, zorder=3)
        if least:
            axes.annotate("", (at[0], 2 * height), (at[0], height),
                          arrowprops={"arrowstyle": "->", "color": color})
        for level, shape in (("L2", "s"), ("L1", "o")):
            if point.get(level) and point[level] != point["memory"]:
                at.append(point[quantity] / point[level])
                axes.scatter(at[-1], height, s=30, marker=shape, facecolors="none",
                             edgecolors=color, zorder=3)
        axes.plot(at, [height] * len(at), color=color, linewidth=0.6)
        drawn = True
    done = work(point, quantity) or point.get(quantity)
    places = [done / counted[level] for level in ("memory", "L2", "L1")
              if done and counted.get(level)]
    if places:
        heights = [done / seconds / 1e9] * len(places)
        axes.scatter(places[0], heights[0], s=60, marker="x", color=color, zorder=3)
        axes.scatter(places[1:], heights[1:], s=20, marker="x", color=color, zorder=3)
        axes.plot(places, heights, color=color, linewidth=0.6, linestyle=":")
    return drawn or bool(places)


def panels_of(machine, vendor, points):
    """[(quantity, title, kind, bandwidths, [(style, peaks)])] of a machine's panels."""
    def peaks(kind, leave_out=()):
        return [(f"{kind} {SHAPE_NAMES[s]}".strip(), rate)
                for s, rate in machine.shapes(kind).items() if s not in leave_out]
    panels = [("flops", "floating-point operations", "flops",
               peaks("float") + peaks("double", ("scalar",)), vendor),
              ("operations", "all operations (integer ceilings)", "operations", peaks("integer"),
               None)]
    if machine.issue_rate and any(work(p, "instructions") for _, _, p in points):
        panels.append(("instructions", "instructions of warps, counted", "instructions",
                       [("issue", machine.issue_rate)], None))
    return panels


def draw_machine(rows):
    """The figure of a machine. `rows` has one entry per backend: (Machine, runs, vendor's ceilings or
    None, lines of text), where runs are names and lists of points."""
    plt = pyplot()
    laid_out = []
    for machine, runs, vendor, text in rows:
        points = [(run, number, point) for run, (_, listed) in enumerate(runs)
                  for number, point in enumerate(listed)]
        panels = panels_of(machine, vendor, points)
        columns = max(len(panels), 2)
        # A legend entry has about 75 characters of a small font, like a line of the text below it.
        lines = math.ceil(len(points) / columns) + 1 + len(text) + 1
        names = [name for name, _ in runs]
        laid_out.append((machine, names, points, panels, text, PANEL[1] + LINE * lines))
    width = max(len(row[3]) for row in laid_out)
    figure = plt.figure(figsize=(PANEL[0] * width, sum(row[-1] for row in laid_out)))
    parts = figure.subfigures(len(rows), 1, height_ratios=[row[-1] for row in laid_out],
                              squeeze=False)[:, 0]
    for part, row in zip(parts, laid_out):
        _draw_row(part, *row, width)
    return figure


def _draw_row(part, machine, runs, points, panels, text, height, width):
    axes = part.subplots(1, width, squeeze=False)[0]
    foot = height - PANEL[1]
    part.subplots_adjust(left=0.85 / (PANEL[0] * width), right=1 - 0.2 / (PANEL[0] * width),
                         bottom=(foot + AXIS) / height, top=1 - AXIS / height, wspace=0.16)
    for unused in axes[len(panels):]:
        unused.set_visible(False)
    bandwidths = [(level["name"], machine.bandwidth(level, None)) for level in machine.levels]
    placed = set()
    for pair, (quantity, title, kind, peaks, vendor) in zip(axes, panels):
        draw_ceilings(pair, bandwidths, peaks)
        if vendor:
            draw_ceilings(pair, *vendor, style="--")
        for run, number, point in points:
            if draw_point(pair, point, quantity, *look_of(run, number)):
                placed.add((run, number))
        finish(pair, f"{machine.name} ({machine.backend}): {title}", kind)
    _write_legend(part, runs, points, placed, foot / height, len(panels))
    nowhere = [name_of(p) for run, number, p in points if (run, number) not in placed]
    if nowhere:
        text = [*text, "without operations or bytes, so not drawn: " + ", ".join(nowhere)]
    part.text(0.01, 0.05 / height, "\n".join(text), fontsize=7, va="bottom")


def _write_legend(part, runs, points, placed, top, columns):
    """Draws the legend below the panels."""
    from matplotlib.lines import Line2D
    shown = [(look_of(run, number), legend_of(runs[run], point)) for run, number, point in points
             if (run, number) in placed]
    if not shown:
        return
    handles = [Line2D([], [], linestyle="none", marker=marker, color=color, alpha=0.7, markersize=6,
                      label=label) for (color, marker), label in shown]
    part.legend(handles=handles, fontsize=7, loc="upper center", bbox_to_anchor=(0.5, top),
                ncol=columns, frameon=False, borderaxespad=0, labelspacing=0.25)
