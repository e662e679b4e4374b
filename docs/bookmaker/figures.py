"""Figures: a panel of an experiment, drawn by the report's charts as a self-contained SVG.

The report (perf/report) draws into a page that has a style sheet, a legend in HTML and a script.
Here the same drawing contains its title, legend, background and colours, for light and dark screens,
and depends only on the result.
"""

import pathlib
import re
import sys
import textwrap

from . import BookError, results

PERF = pathlib.Path(__file__).resolve().parents[2] / "perf"
sys.path.insert(0, str(PERF))
from report import columns, panels, sections, svg  # noqa: E402
from report.markup import Markup, join, tag  # noqa: E402
from report.results import Document  # noqa: E402

FOLDER = "docs/figures"
WIDTH = 480  # as wide as concept figures: letters can be read on a phone
TITLE = 54  # letters of a line of the title
LINE = 20  # from one line of the legend to the next
KEY = 20  # room for a mark before its name
BESIDE = 14  # between two names
# The report's style sheet without variables, which not every SVG viewer supports.
STYLE = """
.paper { fill: PAPER }
text { font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: INK }
.title { font-weight: bold; font-size: 14px }
.hint, .axis { fill: QUIET }
.plane { fill: none; stroke: RULE }
.grid { stroke: GRID }
.line { fill: none; stroke: currentColor; stroke-width: 1.6 }
.whisker { stroke: currentColor; stroke-width: 1.4; opacity: 0.65 }
.mark path { fill: currentColor; stroke: PAPER; stroke-width: 1 }
.rule { stroke: INK; stroke-width: 2; stroke-dasharray: 2 4 }
.r1 { stroke-dasharray: 8 3 }
.r2 { stroke-dasharray: 8 3 2 3 }
.r3 { stroke-dasharray: 3 2; stroke-width: 1 }
.published { color: INK }
.published .line { stroke-dasharray: 5 4; stroke-width: 1.2 }
.published .mark path { stroke: currentColor; stroke-width: 1.6; fill: none }
""" + "".join(f".s{i} {{ color: S{i} }}\n" for i in range(len(svg.SHAPES)))


def style(more="", base=None):
    """The style, or `base`, and `more`, with the report's colours for light screens and for dark
    ones."""
    text = (STYLE if base is None else base) + more
    sheet = (PERF / "report/page.css").read_text(encoding="utf-8")
    light, dark = ({name: pair[k] for name, *pair in re.findall(
        r"--(\w+): light-dark\((#\w+), (#\w+)\)", sheet)} for k in (0, 1))
    return Markup(coloured(text, light) + "@media (prefers-color-scheme: dark) {\n" +
                  coloured(text, dark) + "}\n")


def coloured(text, colours):
    """A style sheet with these colours."""
    return re.sub(r"\b(PAPER|INK|QUIET|RULE|GRID|S\d)\b", lambda m: colours[m[1].lower()], text)


def lines_of(markup):
    """An SVG with an element per line, so that differences can be read."""
    return re.sub(r">(?=<(?!/?(?:text|title)\b))", ">\n", markup) + "\n"


def panel_of(document, name, wanted):
    """The panel that a page names: by the column it draws, or by its number from 1."""
    known_panels = sections.panels_of(document)
    if wanted.isdigit() and 1 <= int(wanted) <= len(known_panels):
        return known_panels[int(wanted) - 1]
    found = [panel for panel in known_panels if panel.get("y") == wanted]
    if len(found) != 1:
        known = [panel.get("y") for panel in known_panels]
        raise BookError(f"{name} has {len(found)} panels of '{wanted}', one is needed; its panels "
                        f"are of {known}")
    return found[0]


def chart_of(document, name, wanted, condition):
    """The chart of a panel, of the rows that meet a condition."""
    panel = panel_of(document, name, wanted)
    document.rows = [row for row in document.rows if results.meets(row, condition)]
    drawn = panels.of_table(columns.table([document]), [panel]) if document.rows else []
    if not drawn:
        raise BookError(f"{name} has nothing to draw of '{wanted}' where '{condition}'")
    if len(drawn) > 1:
        raise BookError(f"{name} has {len(drawn)} charts of '{wanted}' where '{condition}': a figure is one")
    return drawn[0]


def legend(chart, top):
    """(names of series and rules next to their marks, the y position below them)."""
    items = []
    for series, (name, shape) in zip(chart.series, svg.style_of(chart)):
        items.append((series.name, tag("g", tag("path", d=shape), class_="mark"), name))
    for index, rule in enumerate(chart.rules):
        axis = chart.x if rule.axis == "x" else chart.y
        items.append((f"{rule.label} ({axis.text(rule.value)})",
                      tag("line", x1=-8, x2=8, y1=0, y2=0, class_=svg.rule_class(index)), None))
    drawn, x, y = [], svg.RIGHT, top
    for text, key, name in items:
        width = KEY + len(text) * svg.LETTER + BESIDE
        if x > svg.RIGHT and x + width > WIDTH + BESIDE:
            x, y = svg.RIGHT, y + LINE
        drawn.append(tag("g", key, tag("text", text, x=KEY - 8, y=4), class_=name,
                         transform=f"translate({x + 8:.0f} {y})"))
        x += width
    return join(drawn), y + LINE


def drawing(chart, provisional=False):
    """The self-contained SVG of a chart."""
    title = chart.title[:1].upper() + chart.title[1:]
    hint = ", ".join(filter(None, (chart.hint, "provisional" if provisional else "")))
    lines = textwrap.wrap(title, TITLE)
    below = 22 + 18 * len(lines)
    keys, top = legend(chart, below + 24 if hint else below + 6)
    height = svg.Frame(chart, WIDTH).height
    plot = svg.draw(chart, "plot", WIDTH, x=0, y=top, height=height)
    plot = Markup(re.sub(r' (?:data-[\w-]+|tabindex)="[^"]*"', "", plot))  # for the report's script
    whole = tag("svg", tag("style", style()),
                tag("rect", width=WIDTH, height=top + height, class_="paper"),
                *[tag("text", line, x=svg.RIGHT, y=22 + 18 * k, class_="title")
                  for k, line in enumerate(lines)],
                tag("text", hint, x=svg.RIGHT, y=below, class_="hint") if hint else None, keys, plot,
                xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {WIDTH} {top + height}",
                width=WIDTH, height=top + height)
    return lines_of(whole)


def with_powers(command):
    """The command with large powers of two as 2^n, which the runner reads as well."""
    def power(match):
        n = int(match.group(0))
        return f"2^{n.bit_length() - 1}" if n >= 1024 and n & (n - 1) == 0 else match.group(0)

    return re.sub(r"(?<![\w.])\d+(?![\w.])", power, command)


def figure(root, name, wanted, condition="-"):
    """(name of the SVG, the SVG, description in words, caption) of a panel of MACHINE/EXPERIMENT,
    of the rows that meet a condition."""
    content = results.load(root, name)
    machine, experiment = name.split("/")[:2]
    document = Document((machine, experiment, content["commit"][:7]), dict(content))
    chart = chart_of(document, name, wanted, condition)
    parts = name.split("/") + [wanted] + ([condition] if condition != "-" else [])
    file = f"{FOLDER}/{re.sub(r'[^A-Za-z0-9_.-]+', '-', '-'.join(parts))}.svg"
    series = f"{len(chart.series)} series" if len(chart.series) > 1 else "one series"
    alternative = f"{chart.title} in the experiment {experiment} on {machine}: {series}"
    command = f"`{with_powers(document.command)}`" if document.command else \
        f"`perf/run.py {experiment}` (the command of this result was not recorded)"
    caption = (f"*Figure:* `{experiment}` on {machine}, commit {document.short_commit}, "
               f"{document.date}. Reproduce with {command}.")
    doubts = results.provisional(content, document.rows)
    if doubts:
        caption += f" *Provisional:* {', '.join(doubts)}."
    return file, drawing(chart, bool(doubts)), re.sub(r"[\[\]]", "", alternative), caption
