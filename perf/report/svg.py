"""A chart as a self-contained SVG, and the data that chart.js needs to lay it out again.

Every point is a `g.mark` with its numbers in data attributes and, in its `title`, the text shown
under the pointer. Lines and whiskers are placed from the marks.
"""

import json

from . import multiples
from .markup import join, tag
from .scales import FORWARD, domain, tick_texts, ticks

WIDTH, HEIGHT, ROW = 720, 360, 24
LEFT, RIGHT, TOP, BOTTOM = 66, 18, 12, 46
LETTER = 6.7  # width of a letter of a label
EDGE = 3  # between a label and the edge of the chart: a short label may have wide letters only
ACROSS, DOWN = 62, 36  # room for a tick
MARK = 6  # a mark on the edge of the plot is shown completely
# Shapes distinguish series without colour.
SHAPES = ("M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0Z", "M-4,-4H4V4H-4Z", "M0,-5L5,4H-5Z",
          "M0,-5.5L5.5,0L0,5.5L-5.5,0Z", "M0,5L5,-4H-5Z",
          "M-1.5,-5H1.5V-1.5H5V1.5H1.5V5H-1.5V1.5H-5V-1.5H-1.5Z",
          "M-5,-2L-2,-5L5,2L2,5Z", "M-5,-2.5H5V2.5H-5Z")
RULES = 4  # kinds of dashes in page.css and in the book's figures
# Published values: open shapes in the colour of text.
PUBLISHED = ("M-5,-5L5,5M-5,5L5,-5", "M-4.5,-4.5H4.5V4.5H-4.5Z", "M0,-5.5L5.5,5H-5.5Z",
             "M0,-6L6,0L0,6L-6,0Z", "M0,5.5L5.5,-5H-5.5Z", "M-5,-3H5M-5,3H5", "M-3,-5V5M3,-5V5",
             "M-6,0H6M0,-6V6")


class Frame:
    """Position of the plot area in the chart's SVG of this width."""

    def __init__(self, chart, width=WIDTH):
        self.stacked, self.width = False, width
        left, self.height = LEFT, HEIGHT
        if chart.y.scale == "names":
            longest = max(map(len, chart.y.names)) * LETTER + 14
            self.stacked = longest > 0.42 * width
            left = 14 if self.stacked else longest
            rows = len(chart.y.names)
            self.height = TOP + BOTTOM + rows * (ROW + 16 if self.stacked else ROW)
        self.left, self.right = left, width - RIGHT
        self.top, self.bottom = TOP, self.height - BOTTOM


def _place(axis, low, high, start, end):
    forward = FORWARD[axis.scale]
    return lambda value: start + (forward(value) - low) / (high - low) * (end - start)


def _axis_data(name, axis, low, high):
    return {f"data_{name}_scale": axis.scale, f"data_{name}_unit": axis.unit,
            f"data_{name}_label": axis.title, f"data_{name}_low": repr(low),
            f"data_{name}_high": repr(high),
            f"data_{name}_names": json.dumps(axis.names) if axis.names else None}


def _within(middle, text, frame):
    """The middle of a text, moved so that both its ends are in the chart."""
    half = len(text) * LETTER / 2 + EDGE
    return f"{max(half, min(middle, frame.width - half)):.1f}"


def _horizontal(axis, low, high, x, frame):
    if axis.scale == "names":
        values, texts = range(len(axis.names)), axis.names
    else:
        values = ticks(axis.scale, low, high, max(2, int((frame.right - frame.left) / ACROSS)))
        texts = tick_texts(values, axis.unit, axis.scale)
    for value, text in zip(values, texts):
        at = f"{x(value):.1f}"
        yield tag("line", x1=at, x2=at, y1=frame.top, y2=frame.bottom, class_="grid")
        yield tag("text", text, x=_within(x(value), text, frame), y=frame.bottom + 17, class_="tick", text_anchor="middle")
    label = shortened(axis.title, frame.width)
    yield tag("text", label, x=_within((frame.left + frame.right) / 2, label, frame), y=frame.bottom + 37,
              class_="axis", text_anchor="middle")


def shortened(text, room):
    """As much of a text as fits: both ends, which distinguish cases. Points have the full text."""
    most = int(room / LETTER)
    half = (most - 1) // 2
    return text if len(text) <= most else text[:half] + "…" + text[-half:]


def _vertical(axis, low, high, y, frame):
    if axis.scale == "names":
        for value, text in enumerate(axis.names):
            at = y(value)
            yield tag("line", x1=frame.left, x2=frame.right, y1=f"{at:.1f}", y2=f"{at:.1f}",
                      class_="grid")
            if frame.stacked:
                yield tag("text", shortened(text, frame.width - frame.left), x=frame.left,
                          y=f"{at - 9:.1f}", class_="tick")
            else:
                yield tag("text", text, x=f"{frame.left - 8:.1f}", y=f"{at + 4:.1f}",
                          class_="tick", text_anchor="end")
        return
    values = ticks(axis.scale, low, high, max(2, int((frame.bottom - frame.top) / DOWN)))
    for value, text in zip(values, tick_texts(values, axis.unit, axis.scale)):
        at = y(value)
        yield tag("line", x1=frame.left, x2=frame.right, y1=f"{at:.1f}", y2=f"{at:.1f}",
                  class_="grid")
        yield tag("text", text, x=frame.left - 7, y=f"{at + 4:.1f}", class_="tick",
                  text_anchor="end")


def mark(word, documents, reasons):
    """Says in a word what holds for all or some of the documents that a chart or table was made from, and why;
    `reasons` are those of a document."""
    why = {d: reasons(d) for d in dict.fromkeys(documents) if reasons(d)}
    if not why:
        return None
    return tag("span", word if len(why) == len(documents) else f"partly {word}", class_="verified partly",
               title="; ".join(f"{d.machine_name}, {d.short_commit}: {', '.join(said)}" for d, said in why.items()))


def narrowed_mark(documents):
    """Says which documents have less than their experiments because the command asked for less."""
    return mark("narrowed", documents, lambda d: d.asked[0])


def point_text(chart, series, point):
    """The description of a point: value, spread, case, series, and origin."""
    value = point.y if chart.kind == "lines" else point.x
    axis = chart.value_axis
    lines = [f"{axis.label}: {axis.text(value)}" + (", published" if series.published else "")]
    if point.spread:
        lines.append(f"samples from {axis.text(point.spread[0])} to {axis.text(point.spread[1])}")
    lines += [series.name] if point.case in series.name else [point.case, series.name]
    document = point.document
    if series.published:
        lines.append(document.source)
    else:
        lines.append(", ".join(filter(None, (
            document.machine_name, f"commit {document.short_commit}", document.date,
            "quick" if document.quick else "", "provisional" if document.provisional and not chart.sound else "",
            "narrowed" if document.asked[0] else ""))))
    return "\n".join(dict.fromkeys(filter(None, lines)))


def _mark(chart, series, point, x, y, shape):
    text = point_text(chart, series, point)
    spread = point.spread or (None, None)
    return tag("g", tag("path", d=shape), tag("title", text),
               class_="mark", transform=f"translate({x(point.x):.1f} {y(point.y):.1f})",
               data_x=repr(point.x), data_y=repr(point.y),
               data_low=None if spread[0] is None else repr(spread[0]),
               data_high=None if spread[1] is None else repr(spread[1]),
               data_document=point.document.anchor, tabindex="-1", role="img",
               data_command=None if series.published else point.command or None)


def _whiskers(chart, points, x, y):
    for p in points:
        if not p.spread:
            continue
        if chart.kind == "lines":
            d = f"M{x(p.x):.1f},{y(p.spread[0]):.1f}V{y(p.spread[1]):.1f}"
        else:
            d = f"M{x(p.spread[0]):.1f},{y(p.y):.1f}H{x(p.spread[1]):.1f}"
        yield tag("path", d=d, class_="whisker")


def rule_class(index):
    """Rules differ in their dashes."""
    return f"rule r{index % RULES}"


def _rule(rule, index, x, y, frame):
    at = f"{(x if rule.axis == 'x' else y)(rule.value):.1f}"
    ends = {"x1": at, "x2": at, "y1": frame.top, "y2": frame.bottom} if rule.axis == "x" else \
        {"x1": f"{frame.left:.1f}", "x2": frame.right, "y1": at, "y2": at}
    return tag("line", tag("title", rule.label), class_=rule_class(index), data_axis=rule.axis,
               data_value=repr(rule.value), **ends)


def style_of(chart):
    """(class, shape) of each series; published ones are open in the colour of text."""
    measured = published = 0
    for series in chart.series:
        if series.published:
            yield "published", PUBLISHED[published % len(PUBLISHED)]
            published += 1
        else:
            yield f"s{measured % len(SHAPES)}", SHAPES[measured % len(SHAPES)]
            measured += 1


def draw(chart, identity, width=WIDTH, **placed):
    """The SVG of a chart; `identity` is unique in the page. `placed` are attributes with its
    position in another SVG."""
    clip = f"{identity}-clip"
    spreads = [v for s in chart.series for p in s.points for v in p.spread or ()]
    xs = [p.x for s in chart.series for p in s.points]
    ys = [p.y for s in chart.series for p in s.points]
    xs, ys = (xs, ys + spreads) if chart.kind == "lines" else (xs + spreads, ys)
    xs = xs + [r.value for r in chart.rules if r.axis == "x"]
    ys = ys + [r.value for r in chart.rules if r.axis == "y"]
    x_domain, y_domain = domain(xs, chart.x.scale), domain(ys, chart.y.scale)
    frame = Frame(chart, width)
    x = _place(chart.x, *x_domain, frame.left, frame.right)
    if chart.y.scale == "names":  # the first name on top
        y = _place(chart.y, *y_domain, frame.top, frame.bottom)
    else:
        y = _place(chart.y, *y_domain, frame.bottom, frame.top)
    groups = []
    for series, (name, shape) in zip(chart.series, style_of(chart)):
        line = None
        if chart.kind == "lines" and len(series.points) > 1 and chart.joined:
            line = tag("polyline", class_="line", points=" ".join(
                f"{x(p.x):.1f},{y(p.y):.1f}" for p in series.points))
        groups.append(tag("g", line, list(_whiskers(chart, series.points, x, y)),
                          [_mark(chart, series, p, x, y, shape) for p in series.points],
                          class_=f"series {name}"))
    plane = {"x": f"{frame.left:.1f}", "y": frame.top, "width": f"{frame.right - frame.left:.1f}",
             "height": frame.bottom - frame.top}
    return tag(
        "svg",
        tag("clipPath", tag("rect", x=f"{frame.left - MARK:.1f}", y=frame.top - MARK,
                            width=f"{frame.right - frame.left + 2 * MARK:.1f}",
                            height=frame.bottom - frame.top + 2 * MARK), id=clip),
        tag("rect", class_="plane", **plane),
        tag("g", *[_rule(rule, i, x, y, frame) for i, rule in enumerate(chart.rules)], clip_path=f"url(#{clip})"),
        tag("g", *_horizontal(chart.x, *x_domain, x, frame),
            *_vertical(chart.y, *y_domain, y, frame), class_="axes", aria_hidden="true"),
        tag("g", *groups, class_="data", clip_path=f"url(#{clip})"),
        class_="chart", viewBox=f"0 0 {width} {frame.height}", role="group",
        aria_label=f"{chart.title} ({chart.kind})", data_kind=chart.kind,
        data_height=frame.height, **placed,
        **_axis_data("x", chart.x, *x_domain), **_axis_data("y", chart.y, *y_domain))


def legend(chart):
    """Names of the series next to their marks, and the meaning of the value axis."""
    items = []
    for series, (name, shape) in zip(chart.series, style_of(chart)):
        key = tag("svg", tag("g", tag("path", d=shape), class_="mark"), viewBox="-8 -8 16 16",
                  class_=f"key {name}", aria_hidden="true")
        items.append(tag("li", key, series.name))
    for index, rule in enumerate(chart.rules):
        axis = chart.x if rule.axis == "x" else chart.y
        key = tag("svg", tag("line", x1=-8, x2=8, y1=0, y2=0, class_=rule_class(index)), viewBox="-8 -8 16 16",
                  class_="key", aria_hidden="true")
        items.append(tag("li", key, f"{rule.label} ({axis.text(rule.value)})"))
    return tag("ul", *items, class_="legend")


def figure(chart, identity, caption):
    """The whole figure: title, legend, drawing, and a caption with the origin of its data."""
    hint, documents = chart.hint, chart.documents()
    doubt = None if chart.sound else mark("provisional", documents, lambda d: d.provisional)
    return tag("figure",
               tag("div", tag("p", chart.title, " ", doubt, " ", narrowed_mark(documents), class_="title"),
                   tag("p", hint, class_="hint") if hint else None, class_="head"),
               legend(chart), tag("div", draw(chart, identity), class_="canvas"),
               tag("figcaption", join(caption)), class_="plot", id=identity)


def figures(chart, identity, caption):
    """The figure of a chart, or those of its small multiples, whose identities have a number."""
    return [figure(part, identity + (f"-{i}" if i else ""), caption)
            for i, part in enumerate(multiples.of_series(chart))]
