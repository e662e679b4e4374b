"""Charts from the panels of an experiment file (perf/README.md), which name the columns on both axes,
the series, and the published column and marks to compare with.

Bars become dots: one row for each case, the value along x.
"""

from . import charts, quantities
from .charts import Axis, Chart, Point, Rule, Series
from .columns import is_number

SCALES = ("linear", "log", "log2")


def of_table(table, panels):
    """A chart of each panel that has something to show; one that names unknown columns has not."""
    drawn = (_chart(table, panel) for panel in panels if isinstance(panel, dict))
    return [chart for chart in drawn if chart is not None]


def _list(value):
    return [value] if isinstance(value, str) else list(value or [])


def _rows(table, only):
    wanted = [(table.get(name), value) for name, value in (only or {}).items()]
    return [r for r in range(len(table))
            if all(c is not None and c.values[r] == value for c, value in wanted)]


def _columns(table, names):
    return [c for c in map(table.get, _list(names)) if c is not None]


def _series_columns(table, panel, rows, shown):
    """The panel's series; machines are apart where there are several."""
    found = _columns(table, panel.get("series"))
    machine = table.get("machine")
    if machine not in found + shown and len({machine.values[r] for r in rows}) > 1:
        found.insert(0, machine)
    return found


def _values(table, panel):
    """Columns of y: one, or of an object one for each of its parts."""
    name = panel.get("y")
    return [c for c in table.columns if c.name == name or c.name.startswith(f"{name}.")]


def _chart(table, panel):
    rows = _rows(table, panel.get("only"))
    values = [c for c in _values(table, panel) if any(is_number(c.values[r]) for r in rows)]
    x = _columns(table, panel.get("x"))
    if not rows or not values or not x:
        return None
    series = _series_columns(table, panel, rows, x)
    published = table.get(panel.get("published") or "")
    lines = panel.get("kind", "lines") == "lines" and \
        all(is_number(x[0].values[r]) or x[0].values[r] is None for r in rows)
    found = _as_lines(table, rows, values, x[0], series, published) if lines else \
        _as_dots(table, rows, values, x, series, published)
    if not found[0]:
        return None
    found, names = found
    rules, marks = _marks(panel, table, rows, lines, names)
    return _assemble(table, panel, values[0], x[0], found + marks, names, rules, lines)


def _name(table, columns, row, value, values, panel_value=None):
    part = value.name.partition(".")[2] if len(values) > 1 else ""
    return ", ".join(filter(None, (charts.case_text(columns, row), quantities.words(part)))) \
        or panel_value or value.label


def _as_lines(table, rows, values, x, series, published):
    found, known = {}, {}
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
                known.setdefault(name, {})[x.values[row]] = Point(
                    x.values[row], published.values[row], table.documents[row], None, case)
    drawn = [Series(name, sorted(points, key=lambda p: p.x)) for name, points in found.items()]
    return drawn + _published_series(known), ()


def _published_series(known):
    """Published values by series; those that several series share are drawn once."""
    drawn = {}
    for name, points in known.items():
        key = tuple(sorted((at, point.y) for at, point in points.items()))
        drawn.setdefault(key, (name, [points[at] for at in sorted(points)]))
    alone = len(drawn) == 1
    return [Series("published" if alone else f"published, {name}", points, True)
            for name, points in drawn.values()]


def _as_dots(table, rows, values, x, series, published):
    found, known, places = {}, {}, {}
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
        drawn.append(Series("published", list(known.values()), True))
    return drawn, tuple(places)


def _marks(panel, table, rows, lines, names):
    """(rules across the plane, series of single published points)."""
    rules, points = [], []
    for mark in panel.get("marks") or []:
        label = mark.get("label", "")  # of a reference: where equals would meet
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
    """The scale asked for, unless the values forbid it."""
    scale = asked if asked in SCALES else "linear"
    return scale if scale == "linear" or min(values) > 0 else "linear"


def _assemble(table, panel, value, x, series, names, rules, lines):
    label = panel.get("ylabel") or value.label
    title = panel.get("title") or max(label, value.label, key=len)
    points = [p for s in series for p in s.points]
    better = charts.better_of(table, value)
    if lines:
        xs = [p.x for p in points] + [r.value for r in rules if r.axis == "x"]
        ys = [p.y for p in points] + [r.value for r in rules if r.axis == "y"]
        return Chart("lines", title,
                     Axis(panel.get("xlabel") or x.label, x.unit, _scale(panel.get("xscale"), xs)),
                     Axis(label, value.unit, _scale(panel.get("yscale"), ys)), series, better,
                     rules, panel.get("joined", True))
    xs = [p.x for p in points] + [r.value for r in rules]
    return Chart("dots", title, Axis(label, value.unit, _scale(panel.get("yscale"), xs)),
                 Axis("case", "", "names", names), series, better, rules)
