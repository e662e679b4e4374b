"""What the page opens with: three charts, each titled by the sentence that it proves.

They are made from the newest results that are complete: from rows that are not provisional
(perf/laboratory/provenance.py). A chart whose rows are missing is left out, with a sentence.
"""

from . import charts, quantities, sections, svg
from .columns import is_number
from .markup import tag

# Peers by the names in results, and what they are called in a title.
PEERS = {"nanoflann": "nanoflann", "arborx": "ArborX", "arborx_in_order": "ArborX",
         "arborx_dense_box": "ArborX", "arborx_mst": "ArborX", "nth_element": "std::nth_element",
         "washington": "Washington's fof"}
PROBLEMS = {"orb": "orb", "fof": "fof", "walk": "traversal", "gravity": "gravity", "collide": "collide"}
BACKENDS = {"serial": "one core", "openmp": "all cores", "cuda": "the GPU"}


def _newest(documents, experiment):
    """The newest result of each machine, newest first, with its sound rows; without them it is left out."""
    found = {}
    for document in documents:
        if document.experiment == experiment:
            rows = [row for row in document.rows if document.is_sound(row)]
            if rows:
                found[document.machine_name] = (document, rows)
    return sorted(found.values(), key=lambda item: item[0].started, reverse=True)


def _point(document, row, x, y, case):
    return charts.Point(x, y, document, None, case, document.command_of(row.get("run")))


def _between(values):
    """1.5 to 1.9, or one number if both ends are written alike."""
    low, high = (quantities.significant(v, 2) for v in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def _fastest(documents):
    """{(problem, backend): (document, row)}: the fastest variant; hosts of the newest machine that has
    both of theirs, and the GPU of the newest that has one."""
    found = {}
    for document, rows in _newest(documents, "portability"):
        chosen = {}
        for row in rows:
            key = row.get("problem"), row.get("backend")
            if row.get("level") == "variant" and key[0] in PROBLEMS and (
                    key not in chosen or row["seconds"] < chosen[key][1]["seconds"]):
                chosen[key] = document, row
        hosts = {b for _, b in chosen if b != "cuda"}
        for key, value in chosen.items():
            if key[1] == "cuda" or hosts == {"serial", "openmp"}:
                found.setdefault(key, value)
    return found


def node(documents):
    """Serial, all cores and a GPU for each mini-app."""
    found = _fastest(documents)
    names = [p for p in PROBLEMS if all((p, b) in found for b in ("serial", "openmp"))]
    if not names:
        return None
    series, where = [], {}
    for backend in ("serial", "openmp", "cuda"):
        points = [_point(*found[p, backend], found[p, backend][1]["seconds"], at, PROBLEMS[p])
                  for at, p in enumerate(names) if (p, backend) in found]
        if points:
            where[backend] = points[0].document
            series.append(charts.Series(
                f"{BACKENDS[backend]}, {points[0].document.machine_name}", points))

    def gains(slow, fast):
        return [found[p, slow][1]["seconds"] / found[p, fast][1]["seconds"] for p in names
                if (p, slow) in found and (p, fast) in found]
    cores = where["openmp"].context.get("cores") or where["openmp"].machine.get("cores") or "all"
    title = (f"{cores} cores of {where['openmp'].machine_name} are {_between(gains('serial', 'openmp'))} times as "
             "fast as one")
    if "cuda" in where:
        same = where["cuda"].machine_name == where["openmp"].machine_name
        title += (f"; a GPU ({where['cuda'].machine_name}{'' if same else ', another node'}) is "
                  f"{_between(gains('openmp', 'cuda'))} times as fast as these")
    sizes = [f"{PROBLEMS[p]} of {quantities.number(found[p, 'serial'][1]['particles'])} particles" for p in names]
    return charts.Chart("dots", title, charts.Axis("time", "s", "log"),
                        charts.Axis("mini-app", "", "names", tuple(sizes)), series, "smaller")


def peers(documents):
    """The suite against named programs on the same hardware, in the same run."""
    for document, rows in _newest(documents, "hosts"):
        rows = [row for row in rows if row.get("peer") and is_number(row.get("over_copse"))]
        if not rows:
            continue
        works = list(dict.fromkeys(row["work"] for row in rows))
        found = {}
        for row in rows:
            found.setdefault(row["by"], []).append(
                _point(document, row, row["over_copse"], works.index(row["work"]), row["work"]))
        threads = max(run.get("threads") or 1 for run in document.runs)
        named = list(dict.fromkeys(PEERS.get(by, by) for by in found))
        times = [row["over_copse"] for row in rows]
        title = (f"On up to {threads} cores of {document.machine_name} the suite is {_between(times)} times as fast as "
                 f"{', '.join(named[:-1])} and {named[-1]}")
        return charts.Chart(
            "dots", title, charts.Axis("time of the program over that of the suite", "×", charts.value_scale(times)),
            charts.Axis("work", "", "names", tuple(works)),
            [charts.Series(by.replace("_", " "), points) for by, points in found.items()], "",
            [charts.Rule("x", 1.0, "equal")], reads="above 1: the suite is faster")
    return None


# experiment, number of workers, what a worker is, rows, and the mini-app or the column that names it
SCALING = (("threads", "threads", "threads", {"scaling": "strong"}, "variant"),
           ("strong_scaling", "ranks", "", {"reshuffle": "once"}, "orb"),
           ("fof_strong_scaling", "ranks", "", {}, "fof"))


def scaling(documents):
    """Speed-up over one thread, rank or GPU."""
    lines, most = {}, {}
    for experiment, workers, unit, only, app in SCALING:
        for document, rows in _newest(documents, experiment):
            for name, points in _speed_ups(document, rows, workers, unit, only, app).items():
                last = max(points, key=lambda p: p.x)
                if last.x > (most[name].x if name in most else 1):
                    lines[name], most[name] = points, last
    if not lines:
        return None
    parts = {}
    for name, point in most.items():
        of = name.split(", ")[1]
        parts.setdefault(f"{int(point.x)} {of} of {point.document.machine_name}", []).append(point.y)
    (workers, gains), *others = parts.items()
    title = ", ".join([f"{workers} are {_between(gains)} times as fast as one"] +
                      [f"{workers} {_between(gains)} times" for workers, gains in others])
    every = [p.x for points in lines.values() for p in points]
    ideal = charts.Series("ideal", [charts.Point(x, x, next(iter(most.values())).document, None, "ideal")
                                    for x in sorted(set(every))], True)
    return charts.Chart(
        "lines", title, charts.Axis("threads, ranks or GPUs", "", "log2"),
        charts.Axis("times as fast as one", "×", "log2"),
        [charts.Series(name, points) for name, points in lines.items()] + [ideal], "larger")


def _speed_ups(document, rows, workers, unit, only, app):
    """{mini-app, workers, machine: points} of one result."""
    found = {}
    for row in rows:
        if all(row.get(k) == v for k, v in only.items()) and is_number(row.get("seconds")):
            of = unit or ("GPUs" if row.get("backend") == "cuda" else "ranks")
            name = f"{row.get(app, app)}, {of}"
            found.setdefault(name, {})[row[workers]] = row
    return {name: [_point(document, row, at, by[1]["seconds"] / row["seconds"], name.split(", ")[0])
                   for at, row in sorted(by.items())]
            for name, by in found.items() if 1 in by}


def section(documents):
    """The three charts."""
    parts = []
    for make, what in ((node, "one node's Serial, cores and GPU"), (peers, "the suite beside other programs"),
                       (scaling, "threads, ranks and GPUs")):
        chart = make(documents)
        if chart:
            chart.sound = True
        parts.append(svg.figures(chart, f"answer-{make.__name__}", sections.provenance_links(chart.documents()))
                     if chart else tag("p", f"No complete result shows {what} yet.", class_="quiet"))
    return tag("section", tag("h2", "Answers"), *parts, id="answers")
