"""The style of concept figures: a canvas with y downwards, 480 units wide so that its letters can be
read on a phone, with the colours of figures.py for light and dark screens.

A kind is a name of a class below. `line`, `fill` and `soft` (a light fill and a line) exist for
every colour of COLOURS: "line-blue", "fill-ink", "soft-green".
"""

import math
import re

from .. import figures
from ..figures import join, tag

WIDTH = 480
LETTER = 7.2  # average width of a letter of 13 units
COLOURS = {"ink": "INK", "quiet": "QUIET", "rule": "RULE", "paper": "PAPER", "blue": "S0",
           "orange": "S1", "green": "S2", "purple": "S3"}
SHEET = """text { font-size: 13px }
.title { font-size: 14px }
.small { font-size: 11px }
.bold { font-weight: bold }
.middle { text-anchor: middle }
.end { text-anchor: end }
.thick { stroke-width: 2.4 }
.thin { stroke-width: 0.8 }
.dashed { stroke-dasharray: 5 4 }
.dotted { stroke-dasharray: 2 3 }
.faint { opacity: 0.45 }
"""


def sheet(used):
    """Rules for the used classes of colours."""
    lines = [SHEET]
    for name, colour in COLOURS.items():
        rules = {"line": f"fill: none; stroke: {colour}", "fill": f"fill: {colour}",
                 "soft": f"fill: {colour}; fill-opacity: 0.2; stroke: {colour}"}
        lines += [f".{kind}-{name} {{ {rule} }}\n" for kind, rule in rules.items()
                  if f"{kind}-{name}" in used]
    return "".join(lines)


def number(value):
    """A coordinate: a tenth of a unit is invisible, and rounding hides differences of libraries."""
    return f"{value:.1f}".removesuffix(".0").replace("-0", "0" if abs(value) < 0.05 else "-0")


class Picture:
    """An SVG with a title; what is drawn first lies below. `caption` is one sentence."""

    def __init__(self, title, height, caption):
        self.title, self.height, self.caption = title, height, caption
        self.parts = []
        self.text(8, 20, title, "title")

    def _add(self, name, *children, kind="", **attributes):
        values = {key: number(value) if isinstance(value, float) else value
                  for key, value in attributes.items()}
        self.parts.append(tag(name, *children, **values, class_=kind or None))

    def text(self, x, y, words, kind=""):
        self._add("text", words, x=float(x), y=float(y), kind=kind)

    def line(self, x1, y1, x2, y2, kind="line-ink"):
        self._add("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), kind=kind)

    def rect(self, x, y, width, height, kind, **more):
        self._add("rect", x=float(x), y=float(y), width=float(width), height=float(height), kind=kind,
                  **more)

    def rects(self, boxes, kind):
        """Many rectangles (x, y, width, height) as one path."""
        if boxes:
            self._add("path", d="".join(f"M{number(x)},{number(y)}h{number(w)}v{number(h)}h{number(-w)}z"
                                        for x, y, w, h in boxes), kind=kind)

    def circle(self, x, y, radius, kind, **more):
        self._add("circle", cx=float(x), cy=float(y), r=float(radius), kind=kind, **more)

    def path(self, points, kind, closed=False):
        steps = "L".join(f"{number(x)},{number(y)}" for x, y in points)
        self._add("path", d=f"M{steps}{'Z' if closed else ''}", kind=kind)

    def arrow(self, x1, y1, x2, y2, colour="ink", kind=""):
        """A line with a head at its second end."""
        long = math.hypot(x2 - x1, y2 - y1)
        along = ((x2 - x1) / long, (y2 - y1) / long)
        foot = (x2 - 7 * along[0], y2 - 7 * along[1])
        self.line(x1, y1, *foot, f"line-{colour} {kind}".strip())
        self.path([(x2, y2), (foot[0] - 3.5 * along[1], foot[1] + 3.5 * along[0]),
                   (foot[0] + 3.5 * along[1], foot[1] - 3.5 * along[0])], f"fill-{colour}", True)

    def diamond(self, x, y, size=6, kind="fill-ink"):
        self.path([(x, y - size), (x + size, y), (x, y + size), (x - size, y)], kind, True)

    def legend(self, y, *items, x=8):
        """(shape, kind, words) in a row; a shape is "box", "dot", "line" or "diamond"."""
        for shape, kind, words in items:
            if shape == "box":
                self.rect(x, y - 10, 11, 11, kind)
            elif shape == "dot":
                self.circle(x + 5, y - 4, 4, kind)
            elif shape == "diamond":
                self.diamond(x + 5, y - 4, 5, kind)
            else:
                self.line(x - 2, y - 4, x + 12, y - 4, kind)
            self.text(x + 17, y, words)
            x += 36 + LETTER * len(words)

    def svg(self, description):
        """The SVG; `description` is its text for readers that do not see it."""
        body = join(self.parts)
        used = set(re.findall(r"[\w-]+", " ".join(re.findall(r'class="([^"]*)"', body))))
        return figures.lines_of(tag(
            "svg", tag("title", description), tag("style", figures.style(sheet(used), base=BASE)),
            tag("rect", width=WIDTH, height=self.height, class_="paper"), body,
            xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {WIDTH} {self.height}", width=WIDTH,
            height=self.height, role="img"))


BASE = "\n".join(line for line in figures.STYLE.splitlines()
                 if line.startswith(("text ", ".title ", ".paper "))) + "\n"


class Square:
    """The unit square as a square of a picture, with y upwards."""

    def __init__(self, picture, left, top, side, lower=(0.0, 0.0), width=1.0):
        self.picture, self.left, self.top, self.side = picture, left, top, side
        self.lower, self.scale = lower, side / width

    def x(self, value):
        return self.left + self.scale * (value - self.lower[0])

    def y(self, value):
        return self.top + self.side - self.scale * (value - self.lower[1])

    def frame(self, kind="line-rule"):
        self.picture.rect(self.left, self.top, self.side, self.side, kind)

    def dot(self, at, radius, kind):
        self.picture.circle(self.x(at[0]), self.y(at[1]), radius, kind)

    def ball(self, at, radius, kind):
        self.picture.circle(self.x(at[0]), self.y(at[1]), self.scale * radius, kind)

    def line(self, a, b, kind):
        self.picture.line(self.x(a[0]), self.y(a[1]), self.x(b[0]), self.y(b[1]), kind)

    def box(self, lower, upper, kind, inset=0.0):
        self.picture.rect(self.x(lower[0]) + inset, self.y(upper[1]) + inset,
                          max(self.scale * (upper[0] - lower[0]) - 2 * inset, 0.8),
                          max(self.scale * (upper[1] - lower[1]) - 2 * inset, 0.8), kind)

    def text(self, at, words, kind=""):
        self.picture.text(self.x(at[0]), self.y(at[1]) + 4, words, kind)

    def diamond(self, at, size=6, kind="fill-ink"):
        self.picture.diamond(self.x(at[0]), self.y(at[1]), size, kind)
