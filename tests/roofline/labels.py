"""What covers what in a drawn roofline."""

import itertools
import math


def _markers(axes):
    """(x, y, radius) in pixels of the markers of kernels."""
    for marks in axes.collections:
        for (x, y), size in zip(axes.transData.transform(marks.get_offsets()), marks.get_sizes()):
            yield x, y, math.sqrt(size) / 2 * axes.figure.dpi / 72


def _touches(box, x, y, radius):
    return math.hypot(max(box.x0 - x, 0.0, x - box.x1), max(box.y0 - y, 0.0, y - box.y1)) < radius


def problems(axes, labels, others=()):
    """Sentences about names of ceilings that cover one another, a kernel or something else, or leave the axes. The
    figure has been drawn."""
    frame = axes.get_window_extent()
    named = [(label.get_text(), label.get_window_extent()) for label in labels]
    for (one, box), (other, its) in itertools.combinations(named, 2):
        if box.overlaps(its):
            yield f"'{one}' covers '{other}'"
    for name, box in named:
        if not (frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1):
            yield f"'{name}' leaves the axes"
        for marker in _markers(axes):
            if _touches(box, *marker):
                yield f"'{name}' covers a kernel"
        for what, its in others:
            if box.overlaps(its):
                yield f"'{name}' covers {what}"
