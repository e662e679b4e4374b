"""Compares machines and backends, and shows one experiment over its commits.

Rows are compared only if they did the same work: equal values in every case column except machine
and backend, and equal inputs, even if the experiment does not vary them. The options that define the
input must be equal, and so must the checksum of the input of the row's run.
"""

from . import charts, columns, quantities, sections, svg, tables
from .markup import tag
from .results import latest

WHO = ("machine", "backend")
# Other properties that make two runs different.
INPUTS = {"particles", "particles_per_rank", "leaves", "ranks", "dimension", "queries", "levels",
          "theta", "linking_length", "generate", "halo_fraction", "input", "benchmark"}


def _identity(table):
    """Columns that must be equal in rows that are compared."""
    return [c for c in table.columns if c.varies and c.name not in WHO
            and (c.part == "case" or c.part == "detail" and c.name in INPUTS)]


def _checksum(table, row):
    """Checksum of the input of the row's run; None if unknown."""
    return table.documents[row].run(table.runs[row]).get("input")


def _case(table, row):
    return (*((c.name, repr(c.values[row])) for c in _identity(table)), _checksum(table, row))


def _metric(table):
    """The column that is compared: the experiment's metric, else the first measured one."""
    found = charts.measures(table)
    return found[0][1][0] if found else None


def _by_place(table, metric, of_place):
    """{case: {place: row}} of rows with a value; the last row wins."""
    found = {}
    for row in range(len(table)):
        if columns.is_number(metric.values[row]):
            found.setdefault(_case(table, row), {})[of_place(row)] = row
    return found


def _place(table):
    machine, backend = table.get("machine"), table.get("backend")

    def of_row(row):
        return machine.values[row], backend.values[row] if backend else ""
    return of_row


def _case_texts(table, among):
    """{row: its case}, described by the columns that differ between these rows."""
    wanted = [c for c in _identity(table) if len({repr(c.values[r]) for r in among}) > 1]
    texts = {row: charts.case_text(wanted, row) for row in among}
    inputs = {}
    for row, text in texts.items():
        inputs.setdefault(text, set()).add(_checksum(table, row))
    for row, text in texts.items():
        if len(inputs[text]) > 1:
            text = ", ".join(filter(None, (text, f"input {_checksum(table, row) or 'unknown'}")))
        texts[row] = text or "the only case"
    return texts


def faster(table, metric, reference, value):
    """How many times better `value` is than `reference`."""
    return value / reference if charts.better_of(table, metric) == "larger" else reference / value


def _order(place):
    machine, backend = place
    known = columns.BACKENDS
    return (known.index(backend) if backend in known else -1, machine)


def _reference(found, places):
    """The place that the others are compared with: all threads of a CPU if there is a GPU, otherwise one
    thread; among several, the one that shares most cases."""
    wanted = "openmp" if any(backend == "cuda" for _, backend in places) else "serial"
    return max(places, key=lambda p: (p[1] == wanted, sum(p in b for b in found.values())))


def _name(place):
    machine, backend = place
    return f"{machine}, {backend}" if backend else machine


def side_by_side(name, documents):
    """A table of cases by machine and backend, with ratios, and a chart of the ratios; None if
    nothing is comparable."""
    table = columns.table(latest(documents))
    metric = _metric(table)
    if metric is None or not charts.better_of(table, metric) or metric.unit == "×":
        return None
    found = {case: by_place for case, by_place in
             _by_place(table, metric, _place(table)).items() if len(by_place) > 1}
    places = sorted({p for by_place in found.values() for p in by_place}, key=_order)
    if len(places) < 2:
        return None
    reference = _reference(found, places)
    found = {case: by_place for case, by_place in found.items() if reference in by_place}
    others = [p for p in places if p != reference and any(p in b for b in found.values())]
    if not others:
        return None
    headers = ["case", _name(reference)]
    for place in others:
        headers += [_name(place), "times faster"]
    among = [row for by_place in found.values() for row in by_place.values()]
    cases = _case_texts(table, among)
    rows = [_ratio_row(table, metric, by_place, reference, others, cases)
            for by_place in found.values()]
    chart = _ratio_chart(table, metric, found, reference, others, cases)
    label = f"{name}: {metric.label}, compared with {_name(reference)}"
    compared = list(dict.fromkeys(table.documents[row] for row in among))
    warning = tag("p", "With tiny inputs: not a measurement.", class_="warning") \
        if any(d.quick for d in compared) else None
    return tag("section", tag("h3", tag("a", name, href=f"#{name}")),
               warning,
               tag("p", f"{metric.label.capitalize()}; ratios above 1 are faster than "
                   f"{_name(reference)}.", class_="quiet"),
               svg.figures(chart, f"{name}-ratios", sections.provenance_links(compared)),
               tables.html(headers, rows, label, set(range(1, len(headers)))))


def _ratio_row(table, metric, by_place, reference, others, cases):
    first = next(iter(by_place.values()))
    base = metric.values[by_place[reference]]
    row = [tag("th", cases[first], scope="row"),
           tables.value_cell(metric, base)]
    for place in others:
        if place in by_place:
            value = metric.values[by_place[place]]
            ratio = faster(table, metric, base, value)
            row += [tables.value_cell(metric, value),
                    tables.cell(quantities.number(float(ratio), "×"), ratio, class_="ratio")]
        else:
            row += [tables.missing(), tables.missing()]
    return row


def _ratio_chart(table, metric, found, reference, others, cases):
    names, series = [], []
    for place in others:
        points = []
        for by_place in found.values():
            if place not in by_place:
                continue
            row = by_place[place]
            case = cases[row]
            if case not in names:
                names.append(case)
            ratio = faster(table, metric, metric.values[by_place[reference]], metric.values[row])
            points.append(charts.Point(ratio, names.index(case), table.documents[row], None, case,
                                       table.documents[row].command_of(table.runs[row])))
        series.append(charts.Series(_name(place), points))
    values = [p.x for s in series for p in s.points]
    return charts.Chart("dots", f"times faster than {_name(reference)}",
                        charts.Axis("times faster", "×", charts.value_scale(values)),
                        charts.Axis("case", "", "names", tuple(names)), series, "larger",
                        [charts.Rule("x", 1.0, _name(reference))],
                        reads=f"above 1: faster than {_name(reference)}")


def history(name, documents):
    """A line over the commits of each machine for every case measured at several of them."""
    parts = []
    for machine in dict.fromkeys(d.machine_name for d in documents):
        own = [d for d in documents if d.machine_name == machine]
        if len(own) > 1:
            parts.append(_history_of_machine(name, machine, own))
    parts = [p for p in parts if p]
    return tag("details", tag("summary", tag("h3", "History")), *parts) if parts else None


def _history_of_machine(name, machine, documents):
    table = columns.table(documents)
    metric = _metric(table)
    if metric is None:
        return None
    better = charts.better_of(table, metric)
    at = {d: i for i, d in enumerate(documents)}
    backend = table.get("backend")
    found = {}
    for row in range(len(table)):
        if columns.is_number(metric.values[row]):
            case = _case(table, row) + ((backend.values[row],) if backend else ())
            found.setdefault(case, {})[at[table.documents[row]]] = row
    found = [rows for rows in found.values() if len(rows) > 1]
    cases = _case_texts(table, [row for rows in found for row in rows.values()])
    series = [_over_commits(table, metric, rows, better, cases) for rows in found]
    if not series:
        return tag("p", f"{machine}: its commits have no case in common.", class_="quiet")
    names = tuple(d.short_commit for d in documents)
    label = "times faster than at first" if better else metric.label
    values = [p.y for s in series for p in s.points]
    title = f"{label} over commits on {machine}" + (f", by {charts.in_words(metric.label, metric.unit)}" if better else "")
    chart = charts.Chart("lines", title,
                         charts.Axis("commit, older to newer", "", "names", names),
                         charts.Axis(label, "×" if better else metric.unit,
                                     charts.value_scale(values)), series, better and "larger",
                         [charts.Rule("y", 1.0, "as at first")] if better else [])
    return svg.figures(chart, f"{name}-{machine}-history",
                       sections.provenance_links(chart.documents()))


def _over_commits(table, metric, rows, better, cases):
    """The series of one case: how many times better than its first value, with the value itself."""
    places = sorted(rows)
    first = metric.values[rows[places[0]]]
    backend = table.get("backend")
    case = cases[rows[places[0]]]
    name = ", ".join(filter(None, (case, backend and backend.values[rows[places[0]]])))
    points = []
    for place in places:
        row = rows[place]
        value = metric.values[row]
        shown = quantities.number(value, metric.unit)
        point = charts.point(table, row, metric, place, value, f"{metric.label} {shown}")
        if better:
            point.y = faster(table, metric, first, value)
            if point.spread:
                point.spread = tuple(sorted(faster(table, metric, first, s) for s in point.spread))
        points.append(point)
    return charts.Series(name, points)
