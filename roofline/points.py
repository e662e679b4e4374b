#!/usr/bin/python3
"""The share of this machine's ceilings that each modelled kernel of a run reaches.

    build/cuda/bin/orb --particles 2^27 --leaves 4096 --kernel-times --json run.json
    roofline/points.py run.json --machine roofline/machines/h200.json --json points.json

prints a table and writes the points that plot.py draws. A kernel's *bound* is the largest of the times
that its bytes, operations, gathers and launches need at the measured ceilings; `of bound` is that time
divided by the measured one, with `>=` if the model is a lower bound. Work comes from the work models next
to the kernels (work_models.py). --counters adds the counts of profile.py; `of issue` is the share of the
instructions that the device could have issued.

Exit codes: 0; 2 for files that are missing or do not belong together.
"""

import argparse
import json
import os
import sys

from counted import attach
from drawing import percent
from machine import BadMachine, Machine, load_json
from work_models import BadModel, apply, load_models

# The phases that make up a run, by the beginning of their names.
RUN_PHASES = {"orb": ("copse::orb::build_",), "fof": ("copse::fof::run_",),
              "traversal": ("copse::traversal::build", "copse::traversal::walk_"),
              "gravity": ("copse::gravity::tree_", "copse::gravity::moments_",
                          "copse::gravity::walk_", "copse::gravity::steps"),
              "collide": ("copse::collide::steps_",)}


def run_seconds(report):
    """Seconds of the run, the base of the kernels' shares: phases with a common prefix add up."""
    starts = RUN_PHASES.get(report["app"], ())
    seconds = sum(p["seconds"]["median"] for p in report["phases"]
                  if p["seconds"] and p["name"].startswith(starts))
    return seconds or None


def bounds(point, machine, precision):
    """{name of the ceiling: time at that ceiling}."""
    level = machine.level_of(point["set"])
    stream = point["stream"]
    precision = point.get("precision", precision)
    least = {"launches": point["launches"] * machine.ceilings["launch_seconds"]["queued"]}
    if "memory" in point:
        least[level["name"]] = point["memory"] / machine.bandwidth(level, stream)
    for nearer in machine.levels[:machine.levels.index(level)]:
        if nearer["name"] in point:
            least[nearer["name"]] = point[nearer["name"]] / machine.bandwidth(nearer, stream)
    if point.get("flops"):
        least["flops"] = point["flops"] / machine.operations(precision, point.get("shape"))
    if point.get("operations"):
        unit = precision if point.get("unit") == "float" else "integer"
        peak = machine.operations(unit, point.get("shape"))
        least["operations"] = point["operations"] / peak
    rate = point.get("gathers") and machine.gather_rate(point["set"], point["gather_stream"])
    if rate:
        least["gathers"] = 32 * point["gathers"] / rate
    return least


def measured_points(report, machine, counters=None):
    """The points of a report, with their bounds, and with counters if given."""
    precision = "float" if report["build"]["real"] == "float" else "double"
    total = run_seconds(report)
    points = apply(report, load_models())
    for point in points:
        least = bounds(point, machine, precision)
        binding = max(least, key=least.get)
        point["least_seconds"] = least
        point["binding"] = binding
        point["of_bound"] = least[binding] / point["seconds"]
        point["level"] = machine.level_of(point["set"])["name"]
        if total:
            point["share"] = point["seconds"] / total
    attach(points, counters, machine)
    return points


def table(points):
    """Text lines."""
    rows = [("kernel", "share", "ms", "GB/s", "Gflop/s", "Gop/s", "binding", "of bound",
             "counted/model", "of issue")]
    for p in sorted(points, key=lambda p: -p["seconds"]):
        rate = {q: f"{p[q] / p['seconds'] / 1e9:.3g}" if p.get(q) else "-"
                for q in ("memory", "flops", "operations")}
        counted = p.get("counted", {}).get("memory_over_model")
        issue = p.get("counted", {}).get("of_issue")
        rows.append((" ".join(filter(None, (p["label"], p.get("of")))),
                     f"{p['share']:.1%}" if "share" in p else "-", f"{p['seconds'] * 1e3:.3g}",
                     rate["memory"], rate["flops"], rate["operations"], p["binding"],
                     percent(p), f"{counted:.2f}" if counted else "-",
                     f"{issue:.0%}" if issue else "-"))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(w) if i == 0 else cell.rjust(w)
                      for i, (cell, w) in enumerate(zip(row, widths))) for row in rows]


def write_json(path, document):
    """Writes to a temporary file, then renames it, so that no file is ever incomplete."""
    temporary = f"{path}.part"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
    os.replace(temporary, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", help="report of a run with --kernel-times")
    parser.add_argument("--machine", required=True, help="file written by ceilings --json")
    parser.add_argument("--counters", help="file written by profile.py")
    parser.add_argument("--json", help="write the points")
    options = parser.parse_args()
    try:
        report = load_json(options.report)
        if not isinstance(report, dict) or not report.get("kernels"):
            raise BadMachine(f"{options.report}: not a report with kernels")
        machine = Machine(options.machine, report["run"]["backend"])
        counters = load_json(options.counters)["kernels"] if options.counters else None
        points = measured_points(report, machine, counters)
        if not points:
            raise BadMachine(f"{options.report}: no modelled kernel was timed; "
                             "was it a run with --kernel-times?")
        modelled = sum(p["seconds"] for p in points)
        print("\n".join(table(points)))
        if run_seconds(report):
            print(f"modelled kernels are {modelled / run_seconds(report):.0%} of the run")
        if options.json:
            write_json(options.json, {
                "app": report["app"], "backend": report["run"]["backend"],
                "git": report["git"], "input": report["input"], "parameters": report["parameters"],
                "started": report["run"]["started"], "machine": machine.provenance,
                "points": points})
    except (BadMachine, BadModel, OSError, KeyError) as error:
        print(f"points.py: error: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
