"""Tables made from perf/results. Each takes the root and the words after its name in the page."""

import math

from . import BookError, results

def markdown(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def three_digits(x):
    """Three significant digits, without an exponent."""
    places = 2 - math.floor(math.log10(x))
    return f"{round(x, places):,.{max(places, 0)}f}"


def medians(report):
    return {phase["name"]: phase["seconds"]["median"] for phase in report["phases"]}


def power_of_two(n):
    return f"2^{n.bit_length() - 1}" if n > 0 and n & (n - 1) == 0 else f"{n:,}"


def orb_builds(root, name, least="1"):
    """Builds of orb: what each run of MACHINE/EXPERIMENT took on each backend, from `least`
    particles on."""
    rows = []
    for report in results.load(root, name)["runs"]:
        if report["parameters"]["kernel-times"] or report["input"]["particles"] < int(least):
            continue
        median = medians(report)
        for backend in ("serial", "openmp", "cuda"):
            build = median.get(f"copse::orb::build_{backend}")
            copy = median.get(f"copse::orb::copy_{backend}")
            if build is not None:
                n = report["input"]["particles"]
                rows.append([report["parameters"]["generate"], power_of_two(n),
                             str(report["parameters"]["leaves"]), backend, f"{1e3 * build:.1f}",
                             f"{n / build:.3g}", f"{build / copy:.1f}"])
    return markdown(["input", "particles", "leaves", "backend", "ms", "particles/s", "copy passes"],
                    rows)


def columns_of(root, experiment):
    """(label, report) of every machine and backend that has measured an experiment."""
    found = [(f"{report['run']['backend']}, {machine}", report)
             for machine in results.machines(root, experiment)
             for report in results.load(root, f"{machine}/{experiment}")["runs"]]
    if not found:
        raise BookError(f"no machine has results of {experiment}")
    return found


def versions(root, experiment):
    """Versions of a kernel: milliseconds and the gain over the version before, for every backend of
    every machine that has measured them. A version that a backend cannot run has no entry."""
    columns = [(label, {v["name"]: v["seconds"] for v in report["results"]["versions"]})
               for label, report in columns_of(root, experiment)]
    head = ["version"] + [text for label, _ in columns for text in (f"ms ({label})", "gain")]
    rows = []
    for name in sorted({name for _, seconds in columns for name in seconds}):
        row = [name.replace("_", " ")]
        for _, seconds in columns:
            before = [s for other, s in seconds.items() if other < name]
            mine = seconds.get(name)
            row.append(three_digits(1e3 * mine) if mine else "")
            row.append(f"{before[-1] / mine:.2f}" if mine and before else "")
        rows.append(row)
    return markdown(head, rows)


WALKS = [("recursive", "none"), ("ropes", "none"), ("lockstep", "none"), ("fsm", "none"),
         ("fsm", "hybrid"), ("fsm", "sorted")]


def walks(root, experiment):
    """Walks in the order in which the chapter takes them: milliseconds of scheduling and walking,
    nodes that a packet visits, for every backend of every machine."""
    columns = columns_of(root, experiment)
    head = ["walk", "schedule"] + [text for label, _ in columns
                                   for text in (f"ms ({label})", "nodes a packet")]
    rows = []
    for walk, schedule in WALKS:
        row = [walk, schedule]
        for _, report in columns:
            found = [c for c in report["results"]["configurations"]
                     if (c["walk"], c["schedule"], c["automatic"]) == (walk, schedule, False)]
            row += [three_digits(1e3 * (found[0]["schedule_seconds"] + found[0]["walk_seconds"])),
                    f"{found[0]['nodes_per_packet']:.0f}"] if found else ["", ""]
        rows.append(row)
    return markdown(head, rows)


TABLES = {"orb_builds": orb_builds, "versions": versions, "walks": walks}
