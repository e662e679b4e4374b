#!/usr/bin/python3
"""Draws rooflines: measured ceilings solid, vendor peaks dashed, kernels as points.

    roofline/plot.py

draws what is committed: every machine of roofline/machines with its points (roofline/points/NAME) and
counters (roofline/counters/NAME) into build/roofline/NAME.png. For another machine:

    roofline/plot.py --machine mine.json --points points.json --out roofline.png

Each backend with points has a row of panels. Left: floating-point operations. Next: all operations, the
better measure of tree walks and counts, which have few floating-point operations. Third, if profile.py
counted them: warp instructions of a device. A kernel has a filled marker at its memory bytes, a hollow
square at its L2 bytes if they differ, a hollow circle at its L1 bytes, and crosses at the bytes (and
operations) that profile.py counted, the large one at memory; thin lines join them. The area of a filled
marker is the kernel's share of the run; its shape identifies the run. A pale marker with an arrow, and
`>=` in the legend, mean that the model is a lower bound.

Exit codes: 0; 2 for files that are missing, damaged or inconsistent.
"""

import argparse
import glob
import os
import sys

from counted import attach
from drawing import draw_machine, in_words, save
from machine import BadMachine, Machine, backends_of, load_json

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINES = os.path.join(HERE, "machines")
PEAKS = os.path.join(MACHINES, "vendor_peaks.json")
PICTURES = os.path.join(os.path.dirname(HERE), "build", "roofline")


def stem(path):
    return os.path.splitext(os.path.basename(path))[0]


def vendor_ceilings(name):
    """([(name, bandwidth)], [(name, peak)]) of a machine's vendor data, or None."""
    for machine in load_json(PEAKS)["machines"]:
        if machine["name"] == name and "operations_per_second" in machine:
            bandwidth = machine["bytes_per_second"]["value"]
            return ([(None, bandwidth)], [(f"vendor, {in_words(bandwidth, 'B/s')}",
                                           machine["operations_per_second"]["value"])])
    return None


def machine_files(wanted):
    """Paths of the machine files to draw: all committed ones, one of them by name, or a given file."""
    if wanted is None:
        return [path for path in sorted(glob.glob(f"{MACHINES}/*.json")) if backends_of(path)]
    committed = os.path.join(MACHINES, f"{wanted}.json")
    return [committed if os.path.exists(committed) else wanted]


def committed(folder, path):
    """The committed points and counters of a committed machine."""
    if os.path.dirname(os.path.abspath(path)) != MACHINES:
        return []
    return sorted(glob.glob(os.path.join(HERE, folder, stem(path), "*.json")))


def load_points(path):
    document = load_json(path)
    if not isinstance(document, dict) or "points" not in document:
        raise BadMachine(f"{path}: not what points.py writes")
    return document


def run_of(document):
    parameters = document["parameters"]
    if document["app"] == "gravity":
        return f"gravity {parameters['method']}"
    return parameters.get("benchmark") or document["app"]


def describe_points(document):
    commit = document["git"]["commit"][:10] + ("-dirty" if document["git"]["dirty"] else "")
    return (f"{run_of(document)} on {document['backend']}, {document['input']['particles']} "
            f"particles ({document['input']['source']}), commit {commit}, {document['started']}; "
            f"shares of its run, ceilings of {document['machine']}")


def row_of(path, backend, documents, options):
    """The arguments of draw_machine for one backend."""
    machine = Machine(path, backend)
    vendor = vendor_ceilings(options.vendor or machine.name)
    if options.vendor and not vendor:
        raise BadMachine(f"{PEAKS}: has no peaks of '{options.vendor}'")
    text = [f"solid: measured by ceilings, {machine.provenance}"]
    if vendor:
        text.append(f"dashed: {options.vendor or machine.name}, sources in vendor_peaks.json")
    runs, left_out = [], 0
    for document, counters in documents:
        if counters:
            attach(document["points"], counters["kernels"], machine)
        large = [p for p in document["points"] if p.get("share", 1) >= options.least_share]
        left_out += len(document["points"]) - len(large)
        runs.append((run_of(document), sorted(large, key=lambda p: -p["seconds"])))
        text.append(describe_points(document))
        if counters:
            text.append(f"    crosses: {counters['source']} on {counters.get('machine', '?')}, commit "
                        f"{counters.get('commit', '?')}")
    if left_out:
        text.append(f"left out: {left_out} kernels below {options.least_share:.1%} of their run")
    return machine, runs, vendor, text


def rows_of(path, options):
    """The backends to draw: the requested one, those with points, or all."""
    files = committed("points", path) if options.points is None else options.points
    counters = {} if options.points else {stem(f): f for f in committed("counters", path)}
    documents = {}
    for file in files:
        document = load_points(file)
        if options.backend and document["backend"] != options.backend and options.points:
            raise BadMachine(f"{file}: of {document['backend']}, not {options.backend}")
        if document["backend"] not in backends_of(path):
            raise BadMachine(f"{file}: of {document['backend']}, of which {path} has no ceilings")
        counted = load_json(counters[stem(file)]) if stem(file) in counters else None
        documents.setdefault(document["backend"], []).append((document, counted))
    backends = [options.backend] if options.backend else [
        backend for backend in backends_of(path) if backend in documents] or backends_of(path)
    return [row_of(path, backend, documents.get(backend, []), options) for backend in backends]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", help="name of a committed machine, or file of ceilings --json; "
                        "default: all committed machines")
    parser.add_argument("--backend", help="serial, openmp or cuda; default: all with points")
    parser.add_argument("--points", nargs="*", help="files of points.py --json; default: what is "
                        "committed for the machine")
    parser.add_argument("--vendor", help="name of a machine in machines/vendor_peaks.json; default: "
                        "the entry of the machine's part, if there is one")
    parser.add_argument("--least-share", type=float, default=0.005, metavar="SHARE",
                        help="omit kernels with a smaller share of the run (0.005)")
    parser.add_argument("--out", help="the picture, PNG; default: build/roofline/NAME.png")
    options = parser.parse_args()
    if options.machine is None and (options.out or options.points or options.backend):
        parser.error("--out, --points and --backend need --machine")
    try:
        for path in machine_files(options.machine):
            rows = rows_of(path, options)
            if not rows:
                raise BadMachine(f"{path}: not a report of ceilings")
            out = options.out or os.path.join(PICTURES, f"{stem(path)}.png")
            os.makedirs(os.path.dirname(os.path.abspath(out)), exist_ok=True)
            save(draw_machine(rows), out)
            print(out)
    except (BadMachine, OSError, KeyError) as error:
        print(f"plot.py: error: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
