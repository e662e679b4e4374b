"""Charts from the panels of an experiment file (perf/README.md), which name the columns on both axes,
the series, and the published column and marks to compare with.

Bars become dots: one row for each case, the value along x. A panel with more series than a legend can tell
apart becomes small multiples: one chart for each value of a column of its series.
"""

import math

from . import charts, multiples, quantities
from .charts import Axis, Chart, Point, Rule, Series
from .columns import is_number

SCALES = ("linear", "log", "log2")


def of_table(table, panels):
    """A chart for each panel that has data; a panel with unknown columns has none."""
    return [chart for panel in panels if isinstance(panel, dict) for chart in _charts(table, panel)]


def _list(value):
    return [value] if isinstance(value, str) else list(value or [])


def _rows(table, only):
    wanted = [(table.get(name), value) for name, value in (only or {}).items()]
    return [r for r in range(len(table))
            if all(c is not None and c.values[r] == value for c, value in wanted)]


def _columns(table, names):
    return [c for c in map(table.get, _list(names)) if c is not None]


def _series_columns(table, panel, rows, shown):
    """The panel's series; several machines have separate series. Programs that say how many threads they
    used are not told apart by the cores they were given."""
    names = _list(panel.get("series"))
    if table.get("library_threads") is not None:
        names = ["library_threads" if name == "cores" else name for name in names]
    found = _columns(table, names)
    machine = table.get("machine")
    if machine not in found + shown and len({machine.values[r] for r in rows}) > 1:
        found.insert(0, machine)
    return found


def _values(table, panel):
    """Columns of y: one, or of an object one for each of its parts."""
    name = panel.get("y")
    return [c for c in table.columns if c.name == name or c.name.startswith(f"{name}.")]


def _charts(table, panel):
    """The charts of a panel: one, or small multiples."""
    rows = _rows(table, panel.get("only"))
    values = [c for c in _values(table, panel) if any(is_number(c.values[r]) for r in rows)]
    x = _columns(table, panel.get("x"))
    if not rows or not values or not x:
        return
    yield from _multiples(table, panel, rows, values, x, "")


def _multiples(table, panel, rows, values, x, of):
    """The chart of some rows, or, if it has too many series, those of each value of the column that
    leaves the fewest charts that have not; `of` names the rows in its title."""
    chart = _chart(table, panel, rows, values, x)
    if chart is None:
        return
    options = [c for c in _series_columns(table, panel, rows, x)
               if 1 < len({repr(c.values[r]) for r in rows}) <= charts.MOST_PANELS]
    if not multiples.too_many(chart) or not options:
        chart.title += f", {of}" if of else ""
        yield from multiples.of_series(chart)
        return

    def split(column):
        parts = {}
        for row in rows:
            parts.setdefault(repr(column.values[row]), []).append(row)
        return list(parts.values())

    def cost(column):
        made = [c for part in split(column) if (c := _chart(table, panel, part, values, x))]
        return sum(math.ceil(len(c.series) / charts.MOST_SERIES) for c in made)
    column = min(options, key=cost)
    for part in split(column):
        said = ", ".join(filter(None, (of, charts.describe(column, column.values[part[0]]))))
        yield from _multiples(table, panel, part, values, x, said)


def _chart(table, panel, rows, values, x):
    series = _series_columns(table, panel, rows, x)
    published = table.get(panel.get("published") or "")
    lines = panel.get("kind", "lines") == "lines" and \
        all(is_number(x[0].values[r]) or x[0].values[r] is None for r in rows)
    apart = _columns(table, panel["published_series"]) if "published_series" in panel else None
    told = published, panel.get("published_label") or "published", apart
    found = _as_lines(table, rows, values, x[0], series, told) if lines else \
        _as_dots(table, rows, values, x, series, told)
    if not found[0]:
        return None
    found, names = found
    rules, marks = _marks(panel, table, rows, lines, names)
    return _assemble(table, panel, values[0], x, found + marks, names, rules, lines)


def _name(table, columns, row, value, values, panel_value=None):
    part = value.name.partition(".")[2] if len(values) > 1 else ""
    return ", ".join(filter(None, (charts.case_text(columns, row), quantities.words(part)))) \
        or panel_value or value.label


def _as_lines(table, rows, values, x, series, told):
    (published, called, apart), found, known = told, {}, {}
    for row in rows:
        for value in values:
            if not is_number(x.values[row]):
                continue
            name = _name(table, series, row, value, values)
            case = charts.describe(x, x.values[row])
            if is_number(value.values[row]):
                found.setdefault(name, []).append(charts.point(
                    table, row, value, x.values[row], value.values[row], case))
            if published is not None and is_number(published.values[row]):
                told_apart = name if apart is None else charts.case_text(apart, row)
                known.setdefault(told_apart, {})[x.values[row]] = Point(
                    x.values[row], published.values[row], table.documents[row], None, case)
    drawn = [Series(name, sorted(points, key=lambda p: p.x)) for name, points in found.items()]
    return drawn + _published_series(known, called), ()


def _published_series(known, called):
    """Published values by series; those that several series share are drawn once. A panel that names
    them (`published_label`) says of what they are, where the series are of something else."""
    drawn = {}
    for name, points in known.items():
        key = tuple(sorted((at, point.y) for at, point in points.items()))
        drawn.setdefault(key, (name, [points[at] for at in sorted(points)]))
    alone = len(drawn) == 1
    return [Series(called if alone else f"{called}, {name}", points, True)
            for name, points in drawn.values()]


def _as_dots(table, rows, values, x, series, told):
    (published, called, _), found, known, places = told, {}, {}, {}
    for row in rows:
        case = charts.case_text(x, row) or "all"
        at = places.setdefault(case, len(places))
        for value in values:
            name = _name(table, series, row, value, values)
            if is_number(value.values[row]):
                found.setdefault(name, []).append(charts.point(
                    table, row, value, value.values[row], at, case))
        if published is not None and is_number(published.values[row]):
            known[at, published.values[row]] = Point(
                published.values[row], at, table.documents[row], None,
                ", ".join(filter(None, (case, charts.case_text(series, row)))))
    drawn = [Series(name, points) for name, points in found.items()]
    if known:
        drawn.append(Series(called, list(known.values()), True))
    return drawn, tuple(places)


def _marks(panel, table, rows, lines, names):
    """(rules across the plane, series of single published points)."""
    rules, points = [], []
    for mark in panel.get("marks") or []:
        label = mark.get("label", "")  # of a reference: the value of equal results
        if not mark.get("reference"):
            label = f"published: {label}".rstrip(": ")
        x, y = mark.get("x"), mark.get("y")
        if is_number(x) and is_number(y) and lines:
            points.append(Series(label, [Point(x, y, table.documents[rows[0]], None, "")], True))
        elif is_number(y) and x is None:
            rules.append(Rule("y" if lines else "x", y, label))
        elif is_number(x) and lines:
            rules.append(Rule("x", x, label))
    return rules, points


def _scale(asked, values):
    """The requested scale, unless the values do not allow it."""
    scale = asked if asked in SCALES else "linear"
    return scale if scale == "linear" or min(values) > 0 else "linear"


def _title(panel, label, value, x, lines):
    """What is drawn against what, after the panel's own title."""
    across = charts.listed([charts.against(panel.get("xlabel") or column.label, column)
                            for column in (x[:1] if lines or "xlabel" in panel else x)])
    own = panel.get("title")
    if own and any(words in own for words in (label, value.label)):
        return f"{own} by {across}"
    longer = charts.in_words(value.label, value.unit)  # "build time" of the label "time"
    what = longer if label in longer and "." not in value.name else label
    return f"{own + ': ' if own else ''}{what} by {across}"


def _assemble(table, panel, value, x, series, names, rules, lines):
    label = charts.in_words(panel.get("ylabel") or value.label, value.unit)
    title = _title(panel, label, value, x, lines)
    points = [p for s in series for p in s.points]
    reads = panel.get("reads", "")
    better = "" if reads else charts.better_of(table, value)
    if lines:
        xs = [p.x for p in points] + [r.value for r in rules if r.axis == "x"]
        ys = [p.y for p in points] + [r.value for r in rules if r.axis == "y"]
        return Chart("lines", title,
                     Axis(charts.in_words(panel.get("xlabel") or x[0].label, x[0].unit), x[0].unit,
                          _scale(panel.get("xscale"), xs)),
                     Axis(label, value.unit, _scale(panel.get("yscale"), ys)), series, better,
                     rules, panel.get("joined", True), reads)
    xs = [p.x for p in points] + [r.value for r in rules]
    return multiples.without_empty_rows(Chart(
        "dots", title, Axis(label, value.unit, _scale(panel.get("yscale"), xs)), Axis("case", "", "names", names),
        series, better, rules, reads=reads))
