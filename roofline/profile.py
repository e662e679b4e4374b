#!/usr/bin/python3
"""Counts the bytes that a mini-app's kernels move and the operations they execute, by kernel label.

    roofline/profile.py --out counters.json --phase copse::orb::build_cuda \
        -- build/cuda/bin/orb --particles 1e7 --repeat 1
    roofline/points.py run.json --machine roofline/machines/h200.json --counters counters.json

On CUDA it runs the command under Nsight Compute (`ncu`) and sums its counters for each label. A device
has few counters, so the command runs as often as necessary; with --replay kernel every launch is
repeated instead, each time from a copy of all memory that it writes.
The mini-apps launch every kernel in an NVTX range with its label, inside the ranges of its phases;
--phase selects phases or labels, which saves time: counting a launch takes some tenths of a second. If a
recording lacks ranges, the types that work models name (`functors`) identify kernels. All other kernels,
for example of vendor libraries, keep their own names. --csv reads the output of ncu --csv.

On hosts `perf stat` counts the whole command, because it cannot separate kernels. If neither tool can
count, this program says so.

Exit codes: 0; 2 for a command that failed or a recording that is damaged; 4 if no counters are available.
"""

import argparse
import csv
import re
import subprocess
import sys

from points import write_json
from work_models import BadModel, load_models

# Metric of Nsight Compute: (quantity to which it adds, weight).
METRICS = {
    "dram__bytes.sum": ("memory", 1),
    "lts__t_bytes.sum": ("L2", 1),
    "l1tex__t_bytes.sum": ("L1", 1),
    "sm__sass_thread_inst_executed_op_fadd_pred_on.sum": ("flops", 1),
    "sm__sass_thread_inst_executed_op_fmul_pred_on.sum": ("flops", 1),
    "sm__sass_thread_inst_executed_op_ffma_pred_on.sum": ("flops", 2),
    "sm__sass_thread_inst_executed_op_dadd_pred_on.sum": ("flops", 1),
    "sm__sass_thread_inst_executed_op_dmul_pred_on.sum": ("flops", 1),
    "sm__sass_thread_inst_executed_op_dfma_pred_on.sum": ("flops", 2),
    "sm__sass_thread_inst_executed_op_integer_pred_on.sum": ("integer_operations", 1),
    "smsp__inst_executed.sum": ("instructions", 1),  # of warps
    "gpu__time_duration.sum": ("seconds", 1),
}
UNITS = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12, "inst": 1, "": 1,
         "ns": 1e-9, "nsecond": 1e-9, "us": 1e-6, "usecond": 1e-6, "ms": 1e-3, "msecond": 1e-3,
         "s": 1, "second": 1}
PERF_EVENTS = ("cycles", "instructions", "cache-references", "cache-misses", "branch-misses")
LABEL = re.compile(r"copse::[a-z_0-9]+(?:::[a-z_0-9]+)+(?!\w|::|[<(])")
RENAMED = re.compile(r"([A-Za-z][\w:-]*(?: \[[^\]]*\])?)/")  # Kokkos names initialisations with a View
UNSUPPORTED = 4


class Failed(Exception):
    """One sentence: the command or its recording is unusable."""


class Unsupported(Exception):
    """One sentence: no tool can count on this machine."""


def label_of(name, others, functors):
    """A kernel's label: the range that ncu put before the kernel's name, or the innermost NVTX range in
    the other cells of its row, or the label of its type, or its own name."""
    renamed = RENAMED.match(name)
    if renamed:
        return renamed.group(1)
    for cell in (name, *others):
        ranges = LABEL.findall(cell) if "<" not in cell or cell.startswith("<default") else []
        if ranges:
            return ranges[-1]
    for functor, label in functors:
        if re.search(rf"(?<![\w:]){re.escape(functor)}(?![\w:])", name):
            return label
    return name


def functor_labels(models):
    """[(functor, label)], of all models."""
    return [(f, model["label"]) for model in models for f in model["functors"]]


def _number(text, unit):
    if unit not in UNITS:
        raise Failed(f"ncu counts in '{unit}', an unknown unit")
    try:
        return float(text.replace(",", "")) * UNITS[unit]
    except ValueError:
        return None  # "n/a": not counted on this device


def _table(lines):
    """Rows of the CSV in the output of ncu and the program."""
    rows = list(csv.reader(line for line in lines if line.startswith('"')))
    if not rows or "Kernel Name" not in rows[0]:
        raise Failed("the recording has no table of Nsight Compute")
    header = rows[0]
    if any(len(row) != len(header) for row in rows):
        raise Failed("the recording's table has rows of different lengths: it is not complete")
    return header, rows[1:]


def _launches(header, rows):
    """(id, kernel name, cells with the launch location, metric, value) of every number."""
    at = {name: i for i, name in enumerate(header)}
    if "Metric Name" in at:  # one row per metric
        own = {"Metric Name", "Metric Unit", "Metric Value", "Kernel Name"}
        for row in rows:
            yield (row[at["ID"]], row[at["Kernel Name"]],
                   [row[i] for name, i in at.items() if name not in own],
                   row[at["Metric Name"]], _number(row[at["Metric Value"]], row[at["Metric Unit"]])
                   if row[at["Metric Name"]] in METRICS else None)
    else:  # one row per launch, below a row of units
        if not rows:
            return
        units, *rows = rows
        for row in rows:
            for metric in METRICS:
                if metric in at:
                    yield (row[at["ID"]], row[at["Kernel Name"]],
                           [row[i] for name, i in at.items()
                            if name not in METRICS and name != "Kernel Name"],
                           metric, _number(row[at[metric]], units[at[metric]]))


def merge(text, models):
    """{label: {launches, memory, L2, L1, flops, ...}}: sums over all launches in the recording."""
    functors = functor_labels(models)
    kernels = {}
    seen = {}
    for number, name, others, metric, value in _launches(*_table(text.splitlines())):
        label = label_of(name, others, functors)
        kernel = kernels.setdefault(label, {"launches": 0})
        if number not in seen:
            seen[number] = label
            kernel["launches"] += 1
        if metric in METRICS and value is not None:
            quantity, times = METRICS[metric]
            kernel[quantity] = kernel.get(quantity, 0.0) + times * value
    if not kernels:
        raise Failed("the recording has no kernels")
    return kernels


def run_ncu(options):
    """The output of ncu; None if ncu is not installed."""
    call = [options.ncu, "--csv", "--page", "raw", "--print-units", "base", "--nvtx",
            "--print-nvtx-rename", "kernel", "--replay-mode", options.replay,
            "--clock-control", "none",  # seconds at the clocks of ordinary runs
            "--metrics", ",".join(METRICS)]
    if options.launches:
        call += ["--launch-count", str(options.launches)]
    for name in options.phase:
        call += ["--nvtx-include", f"{name}/"]
    try:
        done = subprocess.run([*call, *options.command], capture_output=True, text=True,
                              check=False)
    except OSError:
        return None
    if done.returncode != 0:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if "ERR" in line.upper()]
        raise Failed(f"ncu ended with {done.returncode}: {(lines or ['no message'])[0].strip()}")
    return done.stdout


def parse_perf(text):
    """{event: count} of `perf stat -x,`; events that are not supported are left out."""
    counts = {}
    for row in csv.reader(text.splitlines()):
        if len(row) > 2 and row[0].replace(".", "").isdigit():
            counts[row[2].split(":")[0]] = float(row[0])
    return counts


def run_perf(command):
    """Counts of the whole command. \\raises Unsupported if perf is missing or counts nothing"""
    try:
        done = subprocess.run(["perf", "stat", "-x,", "-e", ",".join(PERF_EVENTS), "--", *command],
                              capture_output=True, text=True, check=False)
    except OSError:
        raise Unsupported("neither ncu nor perf is installed: no counters are available") from None
    counts = parse_perf(done.stderr)
    if counts and done.returncode != 0:
        raise Failed(f"{command[0]} ended with {done.returncode}")
    if not counts:
        raise Unsupported("perf counts no events on this machine (a virtual one, or "
                          "kernel.perf_event_paranoid forbids it)")
    return counts


def is_cuda(command):
    """Whether the command runs on a device, according to its options and the program's help."""
    for i, word in enumerate(command):
        if word.startswith("--backend"):
            return "cuda" in (word + " " + " ".join(command[i + 1:i + 2]))
    try:
        done = subprocess.run([command[0], "--help"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise Failed(f"{command[0]} cannot be started: {error.strerror}") from None
    return "--backend NAME=cuda" in done.stdout


def table(kernels):
    """Text lines, most seconds first."""
    rows = [("kernel", "launches", "ms", "memory GB", "L2 GB", "L1 GB", "Gflop", "Ginst")]
    for label, k in sorted(kernels.items(), key=lambda item: -item[1].get("seconds", 0.0)):
        rows.append((label if len(label) < 60 else label[:57] + "...", str(k["launches"]), *(
            f"{k[q] * scale:.4g}" if q in k else "-" for q, scale in
            (("seconds", 1e3), ("memory", 1e-9), ("L2", 1e-9), ("L1", 1e-9), ("flops", 1e-9),
             ("instructions", 1e-9)))))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(c.ljust(w) if i == 0 else c.rjust(w)
                      for i, (c, w) in enumerate(zip(row, widths))) for row in rows]


def measure(options):
    """The document to write."""
    models = load_models()
    if options.csv:
        with open(options.csv, encoding="utf-8") as file:
            return {"source": f"ncu, {options.csv}", "kernels": merge(file.read(), models)}
    if not options.command:
        raise Failed("give a command after --, or --csv")
    if is_cuda(options.command):
        text = run_ncu(options)
        if text is None:
            raise Unsupported(f"{options.ncu} is not installed: Nsight Compute comes with CUDA")
        return {"source": "ncu", "command": options.command, "kernels": merge(text, models)}
    return {"source": "perf stat, the whole command", "command": options.command, "kernels": {},
            "total": run_perf(options.command)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="write the counters, JSON")
    parser.add_argument("--ncu", default="ncu", help="the Nsight Compute command")
    parser.add_argument("--launches", type=int, help="maximum number of launches to count")
    parser.add_argument("--phase", action="append", default=[], metavar="NAME",
                        help="count only launches in this phase of the report, or with this label; "
                             "may be given several times")
    parser.add_argument("--replay", choices=("application", "kernel"), default="application",
                        help="what is repeated to collect all counters")
    parser.add_argument("--csv", help="read this output of ncu --csv instead")
    parser.add_argument("command", nargs="*", help="the mini-app and its options, after --")
    options = parser.parse_args()
    try:
        document = measure(options)
        if document["kernels"]:
            print("\n".join(table(document["kernels"])))
        for event, count in document.get("total", {}).items():
            print(f"{event}: {count:.6g}")
        write_json(options.out, document)
    except Unsupported as error:
        print(f"profile.py: {error}", file=sys.stderr)
        sys.exit(UNSUPPORTED)
    except (Failed, BadModel, OSError) as error:
        print(f"profile.py: error: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
