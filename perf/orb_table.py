#!/usr/bin/env python3
"""Print the runs of a results file of orb as a Markdown table.

    orb_table.py perf/results/h200/orb_uniform/COMMIT.json

Figures come from the reports alone; runs that timed every kernel are left out, because their fences
cost time.
"""

import json
import sys


def rows(report):
    """(input, particles, backend, seconds, particles/s, copy passes) of each backend of a run."""
    median = {p["name"]: p["seconds"]["median"] for p in report["phases"]}
    kind = report["parameters"]["generate"]
    n = report["input"]["particles"]
    for backend in ("serial", "openmp", "cuda"):
        build = median.get(f"copse::orb::build_{backend}")
        copy = median.get(f"copse::orb::copy_{backend}")
        if build is not None:
            yield kind, n, backend, build, n / build, build / copy


def main(path):
    try:
        with open(path) as file:
            results = json.load(file)
    except (OSError, ValueError) as error:
        print(f"orb_table.py: error: {path}: {error}", file=sys.stderr)
        sys.exit(2)
    runs = [r for r in results["runs"] if not r["parameters"]["kernel-times"]]
    machine = runs[0]["machine"]
    gpu = f"{machine['gpu']['name']}, " if machine["gpu"] else ""
    print(f"{gpu}{machine['cpu']} ({machine['cores']} cores), "
          f"commit {results['commit']}\n")
    print("| input | particles | leaves | backend | ms | particles/s | copy passes |")
    print("|---|---|---|---|---|---|---|")
    for run in runs:
        for kind, n, backend, seconds, rate, passes in rows(run):
            size = f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}"
            print(f"| {kind} | {size} | {run['parameters']['leaves']} | {backend} | "
                  f"{1e3 * seconds:.1f} | {rate:.3g} | {passes:.1f} |")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(sys.argv[1])
