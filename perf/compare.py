#!/usr/bin/env python3
"""Compares two results, or two folders of results, row by row.

    perf/compare.py BEFORE.json AFTER.json
    perf/compare.py perf/results/epyc2 /tmp/after/epyc2     # the latest of each experiment in both

Rows whose runs had different inputs (by the checksums in their reports), rows with fewer than five
timed samples on a side and rows of a run that other programs disturbed are not compared; a note says so.
For every other row that both results have, it
prints the ratio of the medians (above 1 is worse), its bootstrap interval from the raw samples, and the
verdict: regression, improvement, no difference or too noisy. Exit codes: 0; 1 if there is a
regression; 2 for invalid input, also if no row of both results can be compared.
"""

import argparse
import collections
import os
import sys

from laboratory import document
from laboratory.failures import Failed
from laboratory.intervals import FEWEST, judge, judge_exact


def options():
    parser = argparse.ArgumentParser(prog="compare.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--threshold", type=float, default=0.05,
                        help="relative changes below it are ignored (default: 0.05)")
    parser.add_argument("--confidence", type=float, default=0.99,
                        help="confidence level of the interval (default: 0.99)")
    parser.add_argument("--json", metavar="FILE", help="write the table")
    chosen = parser.parse_args()
    if chosen.threshold < 0 or not 0 < chosen.confidence < 1:
        parser.error("--threshold is at least 0, and --confidence between 0 and 1")
    return chosen


def latest(folder):
    """{path of the experiment below the folder: latest result}."""
    found = {}
    for place, _, files in os.walk(folder):
        for name in sorted(files):
            if name.endswith(".json"):
                result = document.read(os.path.join(place, name))
                key = os.path.relpath(place, folder)
                if key not in found or document.started(result) > document.started(found[key]):
                    found[key] = result
    if not found:
        raise Failed(f"{folder} has no results")
    return found


def pairs(before, after):
    """[(name, result before, result after)] and sentences about what only one side has."""
    if os.path.isdir(before) != os.path.isdir(after):
        raise Failed("compare two results or two folders")
    if not os.path.isdir(before):
        first, second = document.read(before), document.read(after)
        if first["experiment"] != second["experiment"]:
            raise Failed(f"{first['experiment']} and {second['experiment']} are different experiments")
        return [(first["experiment"], first, second)], []
    old, new = latest(before), latest(after)
    both = [(key, old[key], new[key]) for key in sorted(set(old) & set(new))]
    if not both:
        raise Failed(f"{before} and {after} have no experiment in common")
    notes = [f"{key}: only in {before if key in old else after}"
             for key in sorted(set(old) ^ set(new))]
    return both, notes


def machine_of(result):
    machine = result["machine"]
    gpu = machine.get("gpu") or {}
    return f"{machine.get('cpu')}, {machine.get('cores')} cores, {gpu.get('name', 'no GPU')}"


def of_run(result, row, key):
    """What the result says about the row's run; None if it is unknown."""
    run, runs = row.get("run"), result["runs"]
    return runs[run].get(key) if isinstance(run, int) and 0 <= run < len(runs) else None


def other_inputs(before, base, after, row):
    """Whether both rows have a known input, and these differ."""
    known = {of_run(before, base, "input"), of_run(after, row, "input")} - {None}
    return len(known) > 1


def disturbed(metric, before, base, after, row):
    """Whether other programs disturbed a run of either row; counts are what they are."""
    return not metric["exact"] and bool(of_run(before, base, "disturbed")
                                        or of_run(after, row, "disturbed"))


def timed_too_rarely(metric, before, after):
    """Whether a side of a row has too few samples for an interval; counts need no samples."""
    return not metric["exact"] and min(len(before.get("samples", [])),
                                       len(after.get("samples", []))) < FEWEST


def compare(before, after, chosen):
    """Rows of the comparison, notes about rows that could not be compared, and why rows were not: the
    number of those with too few samples and of those that were disturbed."""
    metric = after.get("metric") or before.get("metric")
    if not metric or before.get("metric", metric)["column"] != metric["column"]:
        raise Failed(f"{after['experiment']}: the results name no common metric")
    if before["quick"] != after["quick"]:
        raise Failed(f"{after['experiment']}: one result is quick and the other is not")
    notes = []
    if machine_of(before) != machine_of(after):
        notes.append(f"different machines: {machine_of(before)}; {machine_of(after)}")
    column, keys = metric["column"], after["keys"]
    old = {tuple(str(row.get(k)) for k in keys): row for row in before["rows"]}
    table, skipped = [], collections.Counter()
    for row in after["rows"]:
        key = tuple(str(row.get(k)) for k in keys)
        base = old.pop(key, None)
        name = ", ".join(f"{k} {row[k]}" for k in keys if row.get(k) is not None)
        if base is None:
            notes.append(f"only after: {name}")
        elif other_inputs(before, base, after, row):
            notes.append(f"different inputs, not compared: {name or 'the only row'}")
        elif row.get(column) is None or base.get(column) is None:
            continue
        elif timed_too_rarely(metric, base, row):
            skipped["rarely"] += 1
            notes.append(f"fewer than {FEWEST} samples before or after, not compared: "
                         f"{name or 'the only row'}")
        elif disturbed(metric, before, base, after, row):
            skipped["disturbed"] += 1
            notes.append(f"other programs disturbed a run, not compared: {name or 'the only row'}")
        else:
            found = judge_exact(base[column], row[column], metric["better"]) if metric["exact"] \
                else judge(base["samples"], row["samples"], metric["better"], chosen.threshold,
                           chosen.confidence)
            table.append({"row": name, "before": base[column], "after": row[column],
                          "unit": metric["unit"], **found})
    notes += [f"only before: {', '.join(key)}" for key in old]
    return table, notes, skipped


def text(row):
    if row["low"] is None:
        interval = "no interval"
    elif row["low"] == row["high"]:
        interval = "exact"
    else:
        interval = f"{row['low']:.3f} to {row['high']:.3f}"
    ratio = "-" if row["ratio"] is None else f"{row['ratio']:.3f}"
    return (f"{row['verdict']:<14} {ratio:>8}  {interval:<16}  "
            f"{row['before']:.4g} -> {row['after']:.4g} {row['unit']}  {row['row']}")


def main():
    chosen = options()
    everything, verdicts, skipped = {}, {}, collections.Counter()
    try:
        both, notes = pairs(chosen.before, chosen.after)
        for name, before, after in both:
            table, more, left = compare(before, after, chosen)
            skipped.update(left)
            print(f"{name}: {before['commit'][:12]} -> {after['commit'][:12]}")
            print(f"{'verdict':<14} {'ratio':>8}  {'interval':<16}  medians, row")
            for row in table:
                print(text(row))
                verdicts[row["verdict"]] = verdicts.get(row["verdict"], 0) + 1
            for sentence in more:
                print(f"note: {sentence}")
            print()
            everything[name] = table
        for sentence in notes:
            print(f"note: {sentence}")
        if chosen.json:
            document.write(chosen.json, everything)
        if skipped["disturbed"] and not verdicts:
            raise Failed("nothing was compared: other programs disturbed the runs; measure again on a "
                         "quiet machine")
        if skipped["rarely"] and not verdicts:
            raise Failed(f"nothing was compared: rows with fewer than {FEWEST} samples on a side have "
                         f"no interval (perf/run.py --repeat {FEWEST} takes enough)")
        if not verdicts:
            raise Failed("nothing was compared: no row of both sides has the same keys and input")
    except (Failed, OSError) as error:
        print(f"compare.py: error: {error}", file=sys.stderr)
        return 2
    print("; ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
          or "nothing to compare")
    return 1 if verdicts.get("regression") else 0


if __name__ == "__main__":
    sys.exit(main())
