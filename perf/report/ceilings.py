"""Measured limits of machines: the files that `ceilings --json` writes, shown with the results.

A machine file is a report of that program: for each backend the bandwidth of every level of memory,
operations, atomic additions, launches and transfers per second.
"""

import os

from . import charts, quantities, sections, svg, tables
from .markup import tag
from .results import Document, Unreadable, read_json


def read(folder):
    """A document for each machine file; none without the folder."""
    documents = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        if not name.endswith(".json"):
            continue
        report = read_json(path)
        if not isinstance(report, dict) or report.get("app") != "ceilings":
            continue  # vendor peaks are not measurements
        found = (report.get("results") or {}).get("ceilings")
        if not isinstance(found, list) or not all(isinstance(c, dict) for c in found):
            raise Unreadable(f"{path}: 'results.ceilings' must be a list of objects")
        git, check = report.get("git") or {}, report.get("verification") or {}
        document = Document((name[:-len(".json")], "ceilings", "machine"), {
            "commit": str(git.get("commit") or "unknown") + ("-dirty" if git.get("dirty") else ""),
            "quick": report["results"].get("quick"), "machine": report.get("machine"),
            "build": report.get("build"), "ceilings": found,
            "runs": [{"command": _options_in_effect(report),
                      "started": (report.get("run") or {}).get("started"),
                      "verified": check.get("requested") and check.get("passed")}]})
        document.file = os.path.join("roofline", "machines", name)
        documents.append(document)
    return documents


def _options_in_effect(report):
    """A report's parameters as a command line: all parameters in effect, with defaults, without output
    paths."""
    words = [str(report.get("app") or "")]
    for name, value in (report.get("parameters") or {}).items():
        if name not in ("json", "output", "quiet") and value not in (None, False):
            words.append(f"--{name}" if value is True else f"--{name} {value}")
    return " ".join(words)


def section(documents):
    """Bandwidth over working sets, and tables of all ceilings, for each machine."""
    return tag("section", tag("h2", "Ceilings of the machines"),
               tag("p", "The best measured rate of each backend, from the program "
                   "ceilings; rooflines are based on these.", class_="lead"),
               [_machine(document) for document in documents], id="ceilings", class_="experiment")


def _machine(document):
    backends = document.content["ceilings"]
    return [tag("h3", document.machine_name),
            tag("p", "A quick run: not a measurement.", class_="warning")
            if document.quick else None,
            [_sweep(document, c) for c in backends], _bandwidths(document, backends),
            _operations(document, backends), _others(document, backends),
            sections.provenance(document)]


def _sweep(document, ceilings):
    """Bytes per second over the working set: one line per stream, and a rule at the end of each level."""
    lines = {}
    for rate in ceilings.get("sweep") or []:
        stream = rate["stream"] if rate.get("kept", True) else f"{rate['stream']}, others' parts"
        lines.setdefault(stream, []).append(charts.Point(
            rate["bytes"], rate["bytes_per_second"], document, None,
            f"{_binary(rate['bytes'])} working set"))
    if not lines:
        return None
    series = [charts.Series(name, sorted(points, key=lambda p: p.x))
              for name, points in lines.items()]
    rules = [charts.Rule("x", level["bytes"], f"{level['name']} holds")
             for level in ceilings.get("levels") or [] if level.get("bytes")]
    chart = charts.Chart(
        "lines", f"Bandwidth, {document.machine_name}, {ceilings.get('backend')}",
        charts.Axis("working set", "iB", "log2"), charts.Axis("bytes per second", "B/s", "log"),
        series, "larger", rules)
    return svg.figures(chart, f"ceilings-{document.machine_name}-{ceilings.get('backend')}",
                       sections.provenance_links([document]))


def _binary(size):
    return quantities.number(size, "iB")


def _bandwidths(document, backends):
    streams = list(dict.fromkeys(s for c in backends for level in c.get("levels") or []
                                 for s in level.get("bytes_per_second") or {}))
    rows = []
    for ceilings in backends:
        for level in ceilings.get("levels") or []:
            rates = level.get("bytes_per_second") or {}
            if rates:
                rows.append([tag("th", f"{ceilings.get('backend')}, {level['name']}", scope="row"),
                             _cell(level.get("bytes"), "iB"),
                             *[_cell(rates.get(s), "B/s") for s in streams]])
    return tables.html(["level", "holds", *streams], rows,
                       f"Bandwidth of {document.machine_name}", set(range(1, len(streams) + 2)))


def _operations(document, backends):
    rows = [[tag("th", f"{c.get('backend')}, {kind}", scope="row"), tag("td", shape),
             _cell(rate, "op/s")]
            for c in backends for kind, shapes in (c.get("operations_per_second") or {}).items()
            for shape, rate in shapes.items()]
    return tables.html(["operations", "shape", "per second"], rows,
                       f"Operations of {document.machine_name}", {2})


def _others(document, backends):
    rows = []
    for c in backends:
        who = c.get("backend")
        for atomic in c.get("atomics") or []:
            rows.append((f"{who}, atomic additions", f"{atomic['memory']}, "
                         f"{quantities.number(atomic['counters'])} counters",
                         atomic["additions_per_second"], "/s"))
        for kind, seconds in (c.get("launch_seconds") or {}).items():
            rows.append((f"{who}, launch", kind, seconds, "s"))
        for t in c.get("transfers") or []:
            rows.append((f"{who}, transfer", f"{t['direction']}, {_binary(t['bytes'])}"
                         f"{', pinned' if t.get('pinned') else ''}", t["seconds"], "s"))
    return tables.html(["what", "how", "measured"],
                       [[tag("th", what, scope="row"), tag("td", how), _cell(value, unit)]
                        for what, how, value, unit in rows],
                       f"Atomics, launches and transfers of {document.machine_name}", {2})


def _cell(value, unit):
    if not value:
        return tables.missing()
    return tables.cell(quantities.number(value, unit), value)
