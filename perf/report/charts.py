"""Charts of a table: series of points.

Numbers on both axes make `lines`. If cases are names, `dots` has one row for each case and the
value along x; this fits a narrow screen and suits a logarithmic axis. The columns that vary
determine the chart. Charts that experiments define themselves are in panels.py.
"""

import dataclasses
import re

from . import quantities
from .columns import is_number

# Columns whose values are written as counts of themselves: 64 leaves.
COUNTED = {"particles": "particle", "leaves": "leaf", "ranks": "rank", "threads": "thread",
           "cores": "core", "gpus": "GPU", "queries": "query", "library_threads": "thread"}
MOST_SERIES = 8
MOST_PANELS = 6
MOST_NAMES = 60
# The order in which measured quantities are drawn.
FIRST = ("seconds", "speed_up", "speedup", "efficiency", "ratio", "particles_per_second")
SERIES_OF_DOTS = ("backend", "method", "walk", "variant", "machine", "peer")


@dataclasses.dataclass
class Axis:
    label: str
    unit: str = ""
    scale: str = "linear"  # linear, log, log2 (ticks at powers of two) or names
    names: tuple = ()

    @property
    def title(self):
        """The label, with the unit if ticks do not show it."""
        shown = self.unit in quantities.SCALED or self.unit in ("×", "%", "iB", "", self.label)
        return self.label if shown else f"{self.label}, {self.unit}"

    def text(self, value):
        if self.scale == "names":
            return self.names[int(value)]
        return quantities.number(value, self.unit)


@dataclasses.dataclass
class Point:
    x: float
    y: float
    document: object
    spread: tuple = None  # least and greatest sample
    case: str = ""
    command: str = ""  # of the run of this point


@dataclasses.dataclass
class Series:
    name: str
    points: list
    published: bool = False


@dataclasses.dataclass
class Rule:
    """A line across the whole plot at one value of an axis."""
    axis: str  # x or y
    value: float
    label: str


@dataclasses.dataclass
class Chart:
    kind: str  # lines or dots
    title: str
    x: Axis
    y: Axis
    series: list
    better: str = ""  # smaller or larger, or empty
    rules: list = dataclasses.field(default_factory=list)
    joined: bool = True  # points of a series by a line
    reads: str = ""  # of a ratio: what is above 1
    sound: bool = False  # made from rows that are not provisional, whatever other rows of their result are

    @property
    def hint(self):
        """How values are read: which way is better, and of a ratio, of what."""
        return self.reads or (f"{self.better} is better" if self.better else "")

    @property
    def value_axis(self):
        return self.y if self.kind == "lines" else self.x

    def documents(self):
        return list(dict.fromkeys(p.document for s in self.series for p in s.points))


def describe(column, value):
    """A value of a case as a few words: cuda, 2²⁷ particles, periodic: no."""
    if isinstance(value, bool):
        return f"{column.label}: {'yes' if value else 'no'}"
    if is_number(value):
        text = quantities.number(value, column.unit)
        if column.name in COUNTED:
            return f"{text} {column.label.split()[-1] if value != 1 else COUNTED[column.name]}"
        return f"{column.label} {text}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def case_text(columns, row):
    return ", ".join(filter(None, (describe(c, c.values[row]) for c in columns)))


def in_words(label, unit):
    """A label of an axis: its ticks have the unit, so "seconds of a step" is "time of a step"."""
    return re.sub(r"\bseconds\b", "time", label) if unit == "s" else label


def against(label, column):
    """What a title says of the x axis: "number of particles N" of the label "particles N"."""
    return f"number of {label}" if column.name in COUNTED else in_words(label, column.unit)


def listed(words):
    """a, b and c."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _measure(name):
    """The quantity of a column without its prefix: our_seconds and their_seconds are seconds."""
    base = name.split(".")[0]
    for known in FIRST:
        if base.startswith(known) or base.endswith(known):
            return known if base.endswith(known) else base
    return base


def measures(table):
    """Measured columns by quantity, in the order in which they are drawn."""
    groups = {}
    for column in table.of("measured"):
        if column.numeric() and column is not table.metric:
            groups.setdefault((_measure(column.name), column.unit), []).append(column)
    order = {name: i for i, name in enumerate(FIRST)}
    found = sorted(groups.items(), key=lambda item: order.get(item[0][0], len(order)))
    metric = table.metric
    if metric is not None and metric.numeric():
        found.insert(0, ((metric.name, metric.unit), [metric]))
    return found


def _own_part(column, measure):
    """The prefix that distinguishes a column from others of its quantity: `our` of our_seconds."""
    base, _, inner = column.name.partition(".")
    own = base[:-len(measure)].strip("_") if base.endswith(measure) else \
        base[len(measure):].strip("_") if base.startswith(measure) else base
    return ", ".join(filter(None, (quantities.words(own), quantities.words(inner))))


def _published_for(table, measure):
    return [c for c in table.of("published") if c.numeric() and
            measure in (c.name.split(".")[0].partition("_")[2], _measure(c.name))]


def scale_of(values, known_log=8):
    """log if values span more than a factor, log2 if all are powers of two."""
    if min(values) <= 0 or max(values) / min(values) < known_log:
        return "linear"
    if all(float(v).is_integer() and int(v) & (int(v) - 1) == 0 for v in values):
        return "log2"
    return "log"


def _x_column(cases):
    numeric = [c for c in cases if c.numeric()]
    best = max(numeric, key=lambda c: len(set(c.values)), default=None)
    if best is None or len(set(best.values)) < (2 if len(cases) == 1 else 3):
        return None
    return best


def _split(cases, rows, taken):
    """Columns that divide the data into panels, so that no panel has too many series; fewest panels first."""
    panels = []
    rest = [c for c in cases if c is not taken]

    def series(chosen):
        by_panel = {}
        for row in rows:
            key = tuple(repr(c.values[row]) for c in chosen)
            by_panel.setdefault(key, set()).add(
                tuple(repr(c.values[row]) for c in rest if c not in chosen))
        return max(map(len, by_panel.values()), default=0), len(by_panel)

    while series(panels)[0] > MOST_SERIES:
        options = [c for c in rest if c not in panels and series(panels + [c])[1] <= MOST_PANELS]
        if not options:
            break
        panels.append(min(options, key=lambda c: len({repr(v) for v in c.values})))
    return panels


def _spread(table, row, column):
    """Least and greatest sample of a value; samples belong to the metric, or to the seconds."""
    mine = [column.name + "_samples"]
    if column is table.metric or (table.metric is None and column.name == "seconds"):
        mine.append("samples")
    samples = next((c for c in table.of("samples") if c.name in mine), None)
    if samples is None or not samples.values[row]:
        return None
    values = samples.values[row]
    low, high = min(values), max(values)
    return (low, high) if low <= column.values[row] <= high and high > low else None


def _split_names(cases, rows):
    """The column that divides names into panels, if there are too many for one."""
    if len({tuple(repr(c.values[r]) for c in cases) for r in rows}) <= MOST_NAMES:
        return []
    options = [c for c in cases if not c.numeric() and
               1 < len({repr(c.values[r]) for r in rows}) <= MOST_PANELS]
    return [max(options, key=lambda c: len({repr(c.values[r]) for r in rows}))] if options else []


def better_of(table, column):
    """smaller, larger or nothing: from the experiment's metric, otherwise from the unit."""
    if column is table.metric:
        said = table.documents[0].metric.get("better")
        return said if said in ("smaller", "larger") else ""
    if column.unit == "×" and "speed" not in column.name:
        return ""  # a ratio of what to what? the panel says how it `reads`
    smaller = quantities.smaller_is_better(column.unit, column.name)
    return {True: "smaller", False: "larger", None: ""}[smaller]


def point(table, row, column, x, y, case):
    """A point for a value of the table, with its spread and its origin."""
    document = table.documents[row]
    return Point(x, y, document, _spread(table, row, column), case,
                 document.command_of(table.runs[row]))


def _charts_of_measure(table, measure, unit, measured):
    rows = [r for r in range(len(table)) if any(is_number(c.values[r]) for c in measured)]
    cases = [c for c in table.of("case")
             if len({repr(c.values[r]) for r in rows}) > 1]
    x = _x_column(cases)
    published = _published_for(table, measure)
    panels = _split(cases, rows, x) if x else _split_names(cases, rows)
    by_panel = {}
    for row in rows:
        by_panel.setdefault(case_text(panels, row), []).append(row)
    make = _lines if x else _dots
    for panel, chosen in by_panel.items():
        rest = [c for c in cases if c is not x and c not in panels]
        across = against(x.label, x) if x else listed([c.label for c in cases if c not in panels])
        title = in_words(quantities.words(measure), unit) + (f" by {across}" if across else "") + (
            f", {panel}" if panel else "")
        yield make(table, title, unit, measure, measured, published, chosen, x, rest)


def _lines(table, title, unit, measure, measured, published, rows, x, rest):
    found = {}
    for row in rows:
        for column in measured:
            if not is_number(column.values[row]) or not is_number(x.values[row]):
                continue
            name = ", ".join(filter(None, (case_text(rest, row), len(measured) > 1
                                           and _own_part(column, measure))))
            found.setdefault(name or quantities.words(measure), []).append(
                point(table, row, column, x.values[row], column.values[row],
                      case_text([x], row)))
    series = [Series(name, sorted(points, key=lambda p: p.x)) for name, points in found.items()]
    for column in published:
        points = {(x.values[r], column.values[r]): table.documents[r] for r in rows
                  if is_number(column.values[r]) and is_number(x.values[r])}
        if points:
            series.append(Series(column.label, [
                Point(px, py, document, None, describe(x, px))
                for (px, py), document in sorted(points.items(), key=lambda item: item[0])], True))
    ys = [p.y for s in series for p in s.points]
    return Chart("lines", title, Axis(x.label, x.unit, scale_of([p.x for s in series
                                                                 for p in s.points])),
                 Axis(in_words(quantities.words(measure), unit), unit, value_scale(ys)), series,
                 better_of(table, measured[0]))


def _dots(table, title, unit, measure, measured, published, rows, x, rest):
    apart = []
    if len(measured) == 1:
        apart = next(([c] for n in SERIES_OF_DOTS for c in rest if c.name == n), [])
    shared = [c for c in rest if c not in apart]
    names, found = {}, {}
    for row in rows:
        case = case_text(shared, row) or quantities.words(measure)
        at = names.setdefault(case, len(names))
        for column in measured + published:
            if not is_number(column.values[row]):
                continue
            own = column.label if column in published else ", ".join(filter(None, (
                case_text(apart, row), len(measured) > 1 and _own_part(column, measure))))
            points = found.setdefault((own or quantities.words(measure), column in published), {})
            points.setdefault((at, column.values[row]), point(
                table, row, column, column.values[row], at, case))
    series = [Series(name, list(points.values()), is_published)
              for (name, is_published), points in found.items()]
    values = [p.x for s in series for p in s.points]
    return Chart("dots", title, Axis(in_words(quantities.words(measure), unit), unit, value_scale(values)),
                 Axis("case", "", "names", tuple(names)), series, better_of(table, measured[0]))


def value_scale(values):
    """Scale of the value axis: log if values span more than about a decade."""
    return "log" if scale_of(values, 20) != "linear" else "linear"


def of_table(table):
    """Charts of the experiment's metric, or of the first measures if it does not define one."""
    most = 2 if table.metric is None else 1
    return [chart for (measure, unit), measured in measures(table)[:most]
            for chart in _charts_of_measure(table, measure, unit, measured)]
