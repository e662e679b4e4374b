#!/usr/bin/env python3
"""Measures what the book's chapters show and keeps the reports where the book looks for them.

    docs/measure.py --bin build/openmp/bin --machine NAME [--particles N] [--repeat R]

Writes perf/results/NAME/book_count_left, book_join_links and book_walks, each COMMIT.json with one
verified report for every backend of the build; the tables `versions` and `walks` have a column for
each. Seconds of versions are those of the fastest of R runs, which is what a machine that others
use as well shows of itself; those of walks are medians.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXPERIMENTS = {
    "book_count_left": ("versions", ["--kernel", "count-left"], "2^26"),
    "book_join_links": ("versions", ["--kernel", "join-links"], "2^22"),
    "book_walks": ("traversal", ["--benchmark", "point-correlation", "--walk", "all", "--schedule",
                                 "all", "--mean-neighbors", "30"], "3e5"),
}


def report(program, arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.json"
        done = subprocess.run([program, *arguments, "--verify", "--quiet", "--json", path],
                              text=True, capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"measure.py: {program} {' '.join(arguments)} ended with {done.returncode}: "
                     f"{done.stderr.strip()}")
        return json.loads(path.read_text(encoding="utf-8"))


def backends(program):
    """Backends of a build, from the line of --backend in its help."""
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    option = text.split("--backend", 1)[1].split("--", 1)[0].replace(",", " ").split()
    return [name for name in ("serial", "openmp", "cuda") if name in option]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of the programs")
    parser.add_argument("--machine", required=True, help="folder of perf/results")
    parser.add_argument("--only", choices=sorted(EXPERIMENTS), help="one experiment")
    parser.add_argument("--particles", help="instead of each experiment's own number")
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--commit", help="of a build that was made without its history")
    options = parser.parse_args()
    for name, (program, arguments, particles) in EXPERIMENTS.items():
        if options.only not in (None, name):
            continue
        runs = [report(options.bin / program, [
            *arguments, "--particles", options.particles or particles, "--repeat",
            str(options.repeat), "--backend", backend])
            for backend in backends(options.bin / program)]
        commit = options.commit or runs[0]["git"]["commit"][:7]
        place = ROOT / "perf/results" / options.machine / name
        place.mkdir(parents=True, exist_ok=True)
        document = {"experiment": name, "commit": commit, "source": "a chapter of the book",
                    "runs": runs}
        temporary = place / f".{commit}.json.part"
        temporary.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        os.replace(temporary, place / f"{commit}.json")
        print(place / f"{commit}.json")


if __name__ == "__main__":
    main()
