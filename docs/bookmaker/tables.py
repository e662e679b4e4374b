"""Tables made from perf/results and roofline/. Each takes the root and the words after its name in
the page."""

import math
import re
import sys
import tomllib

from . import BookError, results


def markdown(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def three_digits(x):
    """Three significant digits, without an exponent."""
    places = 2 - math.floor(math.log10(x)) if x else 0
    return f"{round(x, places):,.{max(places, 0)}f}"


def two_places(x):
    """Three significant digits, at most two of them after the point, for gains and shares."""
    return three_digits(x) if x >= 1 or x == 0 else f"{x:.2f}"


def power_of_two(n):
    return f"2^{n.bit_length() - 1}" if n > 0 and n & (n - 1) == 0 else f"{n:,}"


FORMATS = {
    "": str,
    "size": lambda x: power_of_two(int(x)),
    "ms": lambda x: three_digits(1e3 * x),
    "3": three_digits,
    "1": lambda x: f"{x:.1f}",
    "percent": lambda x: two_places(100 * x),
    "rate": lambda x: results.short_exponent(f"{x:.3g}"),
    "count": lambda x: f"{x:,.0f}",
}


def column(text):
    """(heading, name, format) of HEADING:NAME:FORMAT, with `_` for a space in the heading; NAME and FORMAT may be
    left out."""
    heading, _, rest = text.partition(":")
    key, _, form = rest.partition(":")
    if form not in FORMATS:
        raise BookError(f"there is no format '{form}'; there are {sorted(FORMATS)}")
    return heading.replace("_", " "), key or heading, FORMATS[form]


def require_rows(found, heads, name, condition):
    """At least one row, and all columns in each."""
    if not found:
        raise BookError(f"no row of {name} meets '{condition}'")
    for row in found:
        for _, key, _ in heads:
            if key not in row:
                raise BookError(f"rows of {name} have no '{key}'; they have {sorted(row)}")


def rows(root, name, condition, *columns):
    """Rows of MACHINE/EXPERIMENT that meet a condition (`a=b,c>=d`; `-` for all), with a `column` for each of the
    columns. A `+` before a column orders the rows by it."""
    heads = [column(text.removeprefix("+")) for text in columns]
    found = results.rows(results.load(root, name), condition)
    require_rows(found, heads, name, condition)
    order = [key for (_, key, _), text in zip(heads, columns) if text.startswith("+")]
    made = [["" if row[key] is None else form(row[key]) for _, key, form in heads]
            for row in sorted(found, key=lambda row: [row[key] for key in order])]
    made = [without_shared_start(labels) for labels in zip(*made)]
    return markdown([heading for heading, _, _ in heads], list(zip(*made)))


def everywhere(root, experiment, condition, *columns):
    """`rows` of every machine that has results of an experiment, hosts' rows of a build for CUDA left out; a sentence
    while none has."""
    heads = [column(text) for text in columns]
    machines = results.machines(root, experiment)
    if not machines:
        return "*Not measured yet.*"
    found = [(machine, row) for machine in machines
             for row in results.at_their_best(results.load(root, f"{machine}/{experiment}"))
             if results.meets(row, condition)]
    require_rows([row for _, row in found], heads, experiment, condition)
    return markdown(["machine", *(heading for heading, _, _ in heads)],
                    [[f"`{machine}`", *("" if row[key] is None else form(row[key]) for _, key, form in heads)]
                     for machine, row in found])


def without_shared_start(labels):
    """The labels of a column without the words before their first comma if all of them begin with these."""
    start = labels[0].partition(", ")[0] + ", "
    if len(labels) > 1 and all(label.startswith(start) and label != start for label in labels):
        return [label.removeprefix(start) for label in labels]
    return labels


def ladder(root, name, condition, key, *columns):
    """Methods of MACHINE/EXPERIMENT in the order of the text, with what each gains: rows that meet a
    condition and whose column is one of the values in COLUMN:VALUE,VALUE,...; then HEADING:NAME:FORMAT
    as in `rows`; last the least `seconds` of the row before over its own."""
    column, _, values = key.partition(":")
    found = results.rows(results.load(root, name), condition)
    heads = [part.replace("_", " ") for part in (text.partition(":")[0] for text in columns)]
    made, before = [], None
    for value in values.split(","):
        row = next((row for row in found if str(row[column]) == value), None)
        if row is None:
            raise BookError(f"no row of {name} with {condition} has {column} {value}")
        shown = [text.split(":")[1:] for text in columns]
        made.append([f"`{value}`", *(FORMATS[form](row[key]) for key, form in shown),
                     two_places(before / row["seconds"]) if before else ""])
        before = row["seconds"]
    return markdown([column, *heads, "gain"], made)


def pivot(root, name, condition, lines, across, values, cell):
    """Rows of MACHINE/EXPERIMENT that meet a condition: a line for every value of the columns LINE,LINE (each a
    `column`, blank in rows without it), a column for each of the VALUE,VALUE,... of a third one, in the cells
    NAME:FORMAT."""
    keys, wanted = [column(text) for text in lines.split(",")], values.split(",")
    key, _, form = cell.partition(":")
    made = {}
    found = results.rows(results.load(root, name), condition)
    for _, k, _ in keys:
        if not any(k in row for row in found):
            raise BookError(f"no row of {name} has '{k}'")
    for row in found:
        names = tuple("" if row.get(k) is None else write(row[k]) for _, k, write in keys)
        line = made.setdefault(names, dict.fromkeys(wanted, ""))
        if str(row[across]) in line:
            line[str(row[across])] = FORMATS[form](row[key])
    if not made:
        raise BookError(f"no row of {name} meets '{condition}'")
    return markdown([*(heading for heading, _, _ in keys), *wanted],
                    [[*names, *line.values()] for names, line in made.items()])


def columns_of(root, experiment):
    """(label, rows) of every machine, backend and number of ranks, if an experiment has several,
    that has results of it. Hosts' rows of a build for CUDA are left out."""
    found = []
    for machine in results.machines(root, experiment):
        measured = results.at_their_best(results.load(root, f"{machine}/{experiment}"))
        for backend in ("serial", "openmp", "cuda"):
            mine = [row for row in measured if row["backend"] == backend]
            for ranks in sorted({row.get("ranks", 0) for row in mine}):
                where = f"{backend}, {ranks} rank{'s' * (ranks > 1)}" if ranks else backend
                found.append((f"{where}, {machine}",
                              [row for row in mine if row.get("ranks", 0) == ranks]))
    if not found:
        raise BookError(f"no machine has results of {experiment}")
    return found


def versions(root, experiment):
    """Versions of a kernel: milliseconds of the fastest run and the gain over the version before,
    for every column of `columns_of`. A version that a backend cannot run has no entry."""
    columns = [(label, {row["version"]: row["fastest"] for row in measured})
               for label, measured in columns_of(root, experiment)]
    head = ["version"] + [text for label, _ in columns for text in (f"ms ({label})", "gain")]
    made = []
    for name in sorted({name for _, seconds in columns for name in seconds}):
        line = [name.replace("_", " ")]
        for _, seconds in columns:
            before = [seconds[other] for other in sorted(seconds) if other < name]
            mine = seconds.get(name)
            line.append(three_digits(1e3 * mine) if mine else "")
            line.append(two_places(before[-1] / mine) if mine and before else "")
        made.append(line)
    return markdown(head, made)


WALKS = [("recursive", "none"), ("ropes", "none"), ("lockstep", "none"), ("fsm", "none"),
         ("fsm", "sorted"), ("fsm", "hybrid"), ("group", "sorted")]


def walks(root, experiment):
    """Walks in the order of the chapter: milliseconds of scheduling and walking,
    nodes that a packet visits, for every backend of every machine."""
    columns = columns_of(root, experiment)
    head = ["walk", "schedule"] + [text for label, _ in columns
                                   for text in (f"ms ({label})", "nodes per packet")]
    made = []
    for walk, schedule in WALKS:
        line = [walk, schedule]
        for _, measured in columns:
            found = [r for r in measured if (r["walk"], r["schedule"]) == (walk, schedule)]
            line += [three_digits(1e3 * found[0]["seconds"]),
                     f"{found[0]['nodes_per_packet']:.0f}"] if found else ["", ""]
        made.append(line)
    return markdown(head, made)


PROGRAMS = {"arborx": "ArborX", "arborx_in_order": "ArborX", "arborx_dense_box": "ArborX",
            "arborx_mst": "ArborX", "nth_element": "`std::nth_element`", "washington": "Washington's `fof`"}
OURS = ("traversal", "orb", "fof", "gravity")


def hosts(root):
    """The experiment `hosts`: seconds of the mini-apps in the oldest and in the newest result of a machine,
    and the fastest program of each other library beside the suite in the newest. A cell has a number for
    each machine that has results. Without results, the aims alone."""
    wanted = tomllib.loads((root / "perf/experiments/hosts.toml").read_text("utf-8"))["published"]
    aims = {work: f"at least {times}" for work, times in wanted["at_least"].items()}
    aims |= {work: "at most " + ", ".join(f"{seconds} s ({vectors})" for vectors, seconds in of.items())
             for work, of in wanted["at_most_seconds"].items()}
    head = ["work", "other program", "before, s", "suite, s", "its s", "times the suite's", "aim"]
    made = {}
    for machine in results.machines(root, "hosts"):
        found = sorted(results.every(root, f"{machine}/hosts"), key=results.started)
        for work in dict.fromkeys(row["work"] for row in found[-1]["rows"]):
            before, now = ({row["by"]: row for row in document["rows"] if row["work"] == work}
                           for document in (found[0], found[-1]))
            peers = {}
            for row in sorted((r for r in now.values() if r["peer"]), key=lambda r: -r["seconds"]):
                peers[PROGRAMS.get(row["by"], row["by"])] = row
            ours = next((now[by] for by in (*OURS, "copse") if by in now), None)
            old = next((before[by] for by in OURS if by in before), None) if len(found) > 1 else None
            for name, row in (peers or {"": None}).items():
                made.setdefault((work, name), []).append(
                    [three_digits(of["seconds"]) if of else "" for of in (old, ours, row)]
                    + [f"{row['over_copse']:.1f}" if row else ""])
    made = [[*key, *(", ".join(filter(None, cells)) for cells in zip(*of)), aims.get(key[0], "")]
            for key, of in made.items()] or [[work, "", "", "", "", "", aim] for work, aim in aims.items()]
    if not any(row[2] for row in made):  # one run of each machine
        head, *made = ([*row[:2], *row[3:]] for row in [head, *made])
    return markdown(head, made)


def beside(root, experiment, *machines):
    """Seconds of the suite and of the fastest program of each other library in the same run, and their ratio, on each
    machine; of work that no other program does, those of the fastest mini-app."""
    made = {}
    for place, machine in enumerate(machines):
        table = results.load(root, f"{machine}/{experiment}")["rows"]
        for work in dict.fromkeys(row["work"] for row in table):
            mine = sorted((row for row in table if row["work"] == work), key=lambda row: row["seconds"])
            peers = {}
            for row in (row for row in mine if row["peer"]):
                peers.setdefault(PROGRAMS.get(row["by"], row["by"]), row)
            for name, row in (peers or {"": None}).items():
                ours = next(r for r in mine if not row or (r["by"], r["run"]) == ("copse", row["run"]))
                cells = made.setdefault((work, name), [""] * (3 * len(machines)))
                cells[3 * place:3 * place + 3] = [three_digits(ours["seconds"]), *(
                    (three_digits(row["seconds"]), f"{row['over_copse']:.1f}") if row else ("", ""))]
    head = [f"{what} ({machine})" for machine in machines for what in ("suite, s", "its s", "times")]
    return markdown(["work", "other program", *head], [[*key, *cells] for key, cells in made.items()])


LEAST_SHARE = 0.05  # share of its run above which a kernel is listed


def kernel_of(point):
    """A point's kernel, and its walk."""
    return f"`{point['label']}`" + (f" ({point['of']})" if point.get("of") else "")


def points(root, *names):
    """Kernels below the roofline, MACHINE/RUN after MACHINE/RUN (roofline/points): share of the
    run, binding ceiling, and the reached fraction of it. Walks are separate runs
    and have no share."""
    made = []
    for name in names:
        run = results.load(root, f"roofline/points/{name}")
        variant = "method" if run["app"] == "gravity" else "benchmark"
        program = f"{run['app']} {run['parameters'].get(variant) or ''}".strip()
        said = [program, f"{run['input']['source'].split(' seed ')[0]}, "
                            f"{count_of(run['input']['particles'])} particles"]
        for point in run["points"]:
            if point["share"] >= LEAST_SHARE:
                share = "" if point.get("of") else f"{100 * point['share']:.0f} %"
                made.append([*said, kernel_of(point), share, point["binding"],
                             (">= " if point.get("lower_bound") else "")
                             + f"{100 * point['of_bound']:.0f} %"])
                said = ["", ""]
    head = ["run", "input", "kernel", "share of the run", "binding ceiling", "of it"]
    return markdown(head, made)


def count_of(n):
    """A power of two as a power, other numbers as a multiple of a power of ten if that is exact."""
    zeros = len(str(n)) - len(str(n).rstrip("0"))
    lead = str(n)[:len(str(n)) - zeros]
    if n & (n - 1) == 0 or zeros < 3 or len(lead) > 1:
        return power_of_two(n)
    return f"10^{zeros}" if lead == "1" else f"{lead} 10^{zeros}"


# (heading, counted, modelled) of the columns of counters; instructions are warp instructions.
COUNTED = [("memory GB", "memory", "memory"), ("L2 GB", "L2", "L2"), ("L1 GB", "L1", "L1"),
           ("Gflop", "flops", "flops")]


def counters(root, *names):
    """Counters (roofline/counters) and work models (roofline/points) of the same runs, for one
    launch of each kernel that has both."""
    made = []
    for run in names:
        counted = results.load(root, f"roofline/counters/{run}")["kernels"]
        modelled = results.load(root, f"roofline/points/{run}")["points"]
        for point in modelled:
            kernel = counted.get(point["label"])
            if kernel is None:
                continue
            line = [run.rpartition("/")[2].replace("_", " "), kernel_of(point)]
            for _, ours, theirs in COUNTED:
                line += [giga(kernel[ours] / kernel["launches"]),
                         giga((point.get(theirs) or 0) / point["launches"])]
            made.append(line + [giga(kernel["instructions"] / kernel["launches"])])
    if not made:
        raise BookError(f"no kernel of {' '.join(names)} was both counted and modelled")
    head = ["run", "kernel"] + [text for column, _, _ in COUNTED for text in (column, "model")]
    return markdown([*head, "10^9 warp instructions"], made)


def giga(x):
    return three_digits(1e-9 * x) if x else ""


# Parts of a gravity run whose seconds its results have: (method or None, kernels, column).
GRAVITY_PARTS = [("breadth", ["copse::gravity::breadth"], "walk_seconds"),
                 ("bucket", ["copse::walk::group"], "walk_seconds"),
                 ("lists", ["copse::gravity::lists_cells"], "cells_seconds"),
                 ("lists", ["copse::gravity::lists_bodies"], "bodies_seconds"),
                 (None, ["copse::multipoles::leaves", "copse::multipoles::inner",
                         "copse::gravity_tree::bodies", "copse::gravity_tree::opening_radii"],
                  "moments_seconds")]


def bounds(root, machine, condition, tree, *experiments):
    """Least and measured times of gravity's kernels on a machine: work models (roofline/) of the rows that
    meet a condition, joined from several experiments by their variants. `tree` is NODES,LEAVES, the
    same on every machine. A part of several kernels has the sum of their least times."""
    sys.path.insert(0, str(root / "roofline"))
    from machine import Machine  # pylint: disable=import-outside-toplevel
    from points import bounds as least_times  # pylint: disable=import-outside-toplevel
    from work_models import apply, load_models  # pylint: disable=import-outside-toplevel
    joined = {}
    for experiment in experiments:
        for row in results.rows(results.load(root, f"{machine}/{experiment}"), condition):
            joined.setdefault(row["variant"], {}).update(row)
    nodes, leaves = (int(number) for number in tree.split(","))
    models, made, done = load_models(str(root)), [], set()
    for variant, row in joined.items():
        report = gravity_report(root, row, nodes, leaves)
        ceilings = Machine(f"{root}/roofline/machines/{machine}.json", row["backend"])
        points = {p["label"]: p for p in apply(report, models)}
        for method, labels, column in GRAVITY_PARTS:
            if method not in (row["method"], None) or (method is None and labels[0] in done):
                continue
            done.update(labels)
            times = [least_times(points[label], ceilings, "float") for label in labels]
            binding = sorted({max(t, key=t.get) for t in times})
            least = sum(max(t.values()) for t in times)
            total = {q: sum(points[label].get(q, 0) for label in labels)
                     for q in ("memory", "flops")}
            total["lanes"] = sum(p["operations"] for p in (points[label] for label in labels)
                                 if p.get("unit") == "float")
            name = f"`{labels[0]}`" if method else "moments, opening radii"
            made.append([variant if method else "all", name,
                         *(giga(total[q]) for q in ("memory", "flops", "lanes")),
                         three_digits(1e3 * least), ", ".join(binding),
                         three_digits(1e3 * row[column]), f"{100 * least / row[column]:.0f} %"])
    return markdown(["run", "kernel", "GB", "Gflop", "Gflop of all lanes", "least ms", "bound by",
                     "measured ms", "least of measured"], sorted(made))


def gravity_report(root, row, nodes, leaves):
    """What work models read of a report, from a row of results with Plummer softening."""
    n = row["particles"]
    kernels = [label for _, labels, _ in GRAVITY_PARTS for label in labels]
    constants = (root / "common/copse/gravity/flops.hpp").read_text(encoding="utf-8")
    distance = int(re.search(r"int distance = (\d+);", constants).group(1))
    field = [int(f) for f in re.search(r" field\{([\d, ]+)\}", constants).group(1).split(",")]
    of = {"method": row["method"], "tree_nodes": nodes, "tree_leaves": leaves,
          "flops_per_body": distance + field[0], "flops_per_test": distance + 3,
          "flops_per_cell": distance + field[row["order"] - 1],
          **{k: n * row[f"{k}_per_body"] for k in ("bodies", "cells", "tests")}}
    return {"app": "gravity", "input": {"particles": n}, "build": {"real": "float"},
            "run": {"backend": row["backend"]}, "results": {"methods": [of]},
            "parameters": {"repeat": 1, "order": row["order"], "mac": row["mac"]},
            "kernels": [{"name": k, "launches": [1], "seconds": {"samples": [1.0]}} for k in kernels]}


TABLES = {"rows": rows, "everywhere": everywhere, "ladder": ladder, "pivot": pivot, "versions": versions,
          "walks": walks, "points": points, "counters": counters, "bounds": bounds, "hosts": hosts, "beside": beside}
