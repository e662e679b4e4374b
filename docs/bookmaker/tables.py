"""Tables made from perf/results. Each takes the root and the words after its name in the page."""

import math

from . import BookError, results


def markdown(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def three_digits(x):
    """Three significant digits, without an exponent."""
    places = 2 - math.floor(math.log10(x)) if x else 0
    return f"{round(x, places):,.{max(places, 0)}f}"


def power_of_two(n):
    return f"2^{n.bit_length() - 1}" if n > 0 and n & (n - 1) == 0 else f"{n:,}"


FORMATS = {
    "": str,
    "size": lambda x: power_of_two(int(x)),
    "ms": lambda x: three_digits(1e3 * x),
    "3": three_digits,
    "1": lambda x: f"{x:.1f}",
    "rate": lambda x: f"{x:.3g}",
}


def rows(root, name, condition, *columns):
    """Rows of MACHINE/EXPERIMENT that meet a condition (`a=b,c>=d`; `-` for all). A column is
    HEADING:NAME:FORMAT, with `_` for a space in the heading; NAME and FORMAT may be left out."""
    made, heads = [], []
    for column in columns:
        heading, _, rest = column.partition(":")
        key, _, form = rest.partition(":")
        if form not in FORMATS:
            raise BookError(f"there is no format '{form}'; there are {sorted(FORMATS)}")
        heads.append((heading.replace("_", " "), key or heading, FORMATS[form]))
    for row in results.rows(results.load(root, name), condition):
        cells = []
        for _, key, form in heads:
            if key not in row:
                raise BookError(f"rows of {name} have no '{key}'; they have {sorted(row)}")
            cells.append("" if row[key] is None else form(row[key]))
        made.append(cells)
    if not made:
        raise BookError(f"no row of {name} meets '{condition}'")
    return markdown([heading for heading, _, _ in heads], made)


def columns_of(root, experiment):
    """(label, rows) of every machine and backend that has measured an experiment."""
    found = []
    for machine in results.machines(root, experiment):
        measured = results.load(root, f"{machine}/{experiment}")["rows"]
        for backend in ("serial", "openmp", "cuda"):
            mine = [row for row in measured if row["backend"] == backend]
            if mine:
                found.append((f"{backend}, {machine}", mine))
    if not found:
        raise BookError(f"no machine has results of {experiment}")
    return found


def versions(root, experiment):
    """Versions of a kernel: milliseconds of the fastest run and the gain over the version before,
    for every backend of every machine that has measured them. A version that a backend cannot run
    has no entry."""
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
            line.append(f"{before[-1] / mine:.2f}" if mine and before else "")
        made.append(line)
    return markdown(head, made)


WALKS = [("recursive", "none"), ("ropes", "none"), ("lockstep", "none"), ("fsm", "none"),
         ("fsm", "sorted"), ("fsm", "hybrid")]


def walks(root, experiment):
    """Walks in the order in which the chapter takes them: milliseconds of scheduling and walking,
    nodes that a packet visits, for every backend of every machine."""
    columns = columns_of(root, experiment)
    head = ["walk", "schedule"] + [text for label, _ in columns
                                   for text in (f"ms ({label})", "nodes a packet")]
    made = []
    for walk, schedule in WALKS:
        line = [walk, schedule]
        for _, measured in columns:
            found = [r for r in measured if (r["walk"], r["schedule"]) == (walk, schedule)]
            line += [three_digits(1e3 * found[0]["seconds"]),
                     f"{found[0]['nodes_per_packet']:.0f}"] if found else ["", ""]
        made.append(line)
    return markdown(head, made)


TABLES = {"rows": rows, "versions": versions, "walks": walks}
