#!/usr/bin/env python3
"""Runs the GPU programs of a build under NVIDIA's compute-sanitizer and keeps the log.

    perf/sanitize.py                         # perf/results/sanitizer/MACHINE.log
    perf/sanitize.py --tools memcheck --out /tmp/sanitizer.log

The methods of the mini-apps, and the variants that have kernels of their own, run once on small inputs with
--verify (RUNS). The log names the commit, the GPU and the version of the tool, and has one line for each run:
its tool, its errors and its command, in which FOLDER is a temporary folder.
Exit codes: 0; 1 for errors that the tool or --verify found; 2 for bad input; 4 without
compute-sanitizer or a build for CUDA.
"""

import argparse
import concurrent.futures
import os
import random
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from laboratory import machine
from laboratory.failures import Failed, Unsupported
from laboratory.programs import ROOT, Programs

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# Small inputs that reach every kernel of a method; times under the tools are hundreds of times longer.
RUNS = (
    "orb --generate nfw --particles 2e5 --leaves 300",
    "orb --generate uniform --particles 2e5 --leaves 300 --placement device --cut bisection",
    "orb --generate uniform --particles 2e5 --leaves 300 --placement device --cut histogram",
    "fof --generate nfw --particles 2e4 --method all",
    "fof --generate nfw --particles 2e4 --velocity-link 0.2",
    "traversal --benchmark knn --particles 2e4 --walk all --schedule all",
    "traversal --benchmark point-correlation --particles 2e4 --walk all --schedule all",
    "traversal --benchmark ball-tree --particles 2e4 --walk all --schedule all",
    "traversal --benchmark vantage-point --particles 2e4 --walk all --schedule all",
    "traversal --benchmark barnes-hut --generate plummer --particles 2e4 --walk all",
    "gravity --generate plummer --particles 2e4 --method all",
    "gravity --generate nfw --particles 1e4 --method all --periodic",
    "collide --particles 5000 --steps 5 --method all",
    "collide --generate gas --particles 1000 --steps 5 --method all --dimensions 3 --periodic",
    "orb --generate uniform --particles 2e5 --leaves 300 --placement device --cut select",
    "orb --generate uniform --particles 2e5 --leaves 300 --placement device --cut sampled-bisection",
    "orb --generate uniform --particles 2e5 --leaves 300 --placement device --cut bisection --count per-cell",
    "orb --generate uniform --particles 2e5 --leaves 300 --placement device --cut bisection --count batched",
    "orb --generate uniform --particles 2e5 --leaves 300 --placement device --cut bisection --partition atomic",
    "orb --generate uniform --particles 2e5 --leaves 300 --placement count-on-device --cut bisection",
    "orb --generate uniform --particles 2e5 --leaves 300 --placement fused",
    "orb --generate uniform --particles 2e5 --leaves 300 --stream 50000",
    "orb --generate uniform --particles 2e5 --leaves 300 --positions-only",
    "fof --input FOLDER/species.tipsy --species dark --linking-length 0.03",
    "fof --generate nfw --particles 2e4 --method emst-boruvka --output-mst FOLDER/mst.csv",
    "traversal --benchmark nearest-neighbor --particles 2e4 --walk all --schedule all",
    "traversal --benchmark point-correlation --particles 5000 --correlation",
    "gravity --generate plummer --particles 5000 --method direct",
    "collide --particles 5000 --steps 5 --method microblocks-slots --slots-variant rescan",
    "collide --particles 5000 --steps 5 --method microblocks-slots --slots-variant migrate",
    "collide --particles 5000 --steps 5 --method microblocks-slots --slots-variant fused",
    "collide --particles 5000 --steps 5 --method microblocks-slots --slots-variant macro-blocks",
    "collide --generate gas --particles 1000 --steps 5 --method all --radius-spread 4 --density 0.05",
    "collide --generate gas --particles 500 --steps 5 --method all --dimensions 3 --periodic --force lennard-jones",
    "traversal --benchmark knn --particles 2e4 --queries split --walk all --schedule all",
    "collide --generate gas --particles 2000 --steps 5 --method all --periodic",
    "mpirun -n 2 collide --particles 5000 --steps 5 --method all",
    "mpirun -n 2 collide --generate gas --particles 1000 --steps 5 --method all --dimensions 3 --periodic",
    "mpirun -n 2 collide --generate gas --particles 2000 --steps 5 --method all --ghosts delta --skin 0",
)
SUMMARY = re.compile(r"^=+ (?:ERROR|RACECHECK) SUMMARY: (.*)$", re.MULTILINE)


def options():
    parser = argparse.ArgumentParser(prog="sanitize.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", metavar="DIR", help="build folder; default: the best one under build/")
    parser.add_argument("--tools", default="memcheck,racecheck", metavar="NAME[,NAME]",
                        help=f"default memcheck,racecheck; of {', '.join(TOOLS)}")
    parser.add_argument("--only", metavar="PROGRAM", help="only the runs of this mini-app")
    parser.add_argument("--out", metavar="FILE",
                        help="the log (default: perf/results/sanitizer/MACHINE.log)")
    parser.add_argument("--timeout", type=float, default=600.0, metavar="S",
                        help="seconds after which a run counts as failed (default: 600)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="runs at the same time (default: 1)")
    return parser.parse_args()


def wanted_tools(text):
    tools = text.split(",")
    unknown = [tool for tool in tools if tool not in TOOLS]
    if unknown:
        raise Failed(f"--tools {','.join(unknown)}: one of {', '.join(TOOLS)}")
    return tools


def write_species(path):
    """A Tipsy snapshot of 1000 gas, 3000 dark and 1000 star particles at random places of the unit cube."""
    numbers, counts = random.Random(1), (1000, 3000, 1000)
    with open(path, "wb") as file:
        file.write(struct.pack(">diiiiii", 1.0, sum(counts), 3, *counts, 0))
        for count, columns in zip(counts, (12, 9, 11)):  # the mass, the position, others
            for _ in range(count):
                rest = [0.0] * (columns - 4)
                file.write(struct.pack(f">{columns}f", 1.0, *(numbers.random() for _ in range(3)), *rest))


def version(sanitizer):
    said = subprocess.run([sanitizer, "--version"], capture_output=True, text=True, check=False).stdout
    return said.strip().splitlines()[-1] if said.strip() else "unknown version"


def errors(output):
    """The number of errors that the tool counted; None if it wrote no summary."""
    found = SUMMARY.findall(output)
    numbers = [int(n) for line in found for n in re.findall(r"(\d+) (?:error|hazard)", line)]
    return sum(numbers) if numbers else None


def parts(line):
    """What starts the program over ranks, if anything does, the program and its arguments."""
    words = shlex.split(line)
    launcher = 3 if words[0] == "mpirun" else 0
    return words[:launcher], words[launcher], words[launcher + 1:]


def run(sanitizer, tool, launcher, program, words, timeout, folder):
    """(errors found, exit code of the program, the whole output) of one run."""
    command = [*launcher, sanitizer, "--tool", tool, program, *(word.replace("FOLDER", folder) for word in words),
               "--backend", "cuda", "--repeat", "1", "--verify", "--quiet"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                              timeout=timeout)
    except subprocess.TimeoutExpired:
        return None, "timeout", ""
    output = done.stdout + done.stderr
    return errors(output), done.returncode, output


def main():
    chosen = options()
    try:
        tools = wanted_tools(chosen.tools)
        sanitizer = shutil.which("compute-sanitizer")
        if not sanitizer:
            raise Unsupported("compute-sanitizer is not on the PATH; it comes with the CUDA Toolkit")
        programs = Programs(chosen.build)
        runs = [entry for entry in map(parts, RUNS) if chosen.only in (None, entry[1])]
        if chosen.jobs < 1:
            raise Failed("--jobs is at least 1")
        if not runs:
            raise Failed(f"--only {chosen.only} has no runs")
        if not programs.has_gpu(runs[0][1]):
            raise Unsupported(f"{programs.path(runs[0][1])} has no backend for GPUs")
        return sanitize(sanitizer, tools, programs, runs, chosen)
    except Unsupported as error:
        print(f"sanitize.py: {error}", file=sys.stderr)
        return 4
    except (Failed, OSError) as error:
        print(f"sanitize.py: error: {error}", file=sys.stderr)
        return 2


def sanitize(sanitizer, tools, programs, runs, chosen):
    """Runs all and writes the log; LOG.part has the runs that have ended if this is interrupted."""
    said = subprocess.run([programs.path(runs[0][1]), "--version"], capture_output=True, text=True, check=False)
    out = chosen.out or os.path.join(ROOT, "perf", "results", "sanitizer", f"{machine.name()}.log")
    os.makedirs(os.path.dirname(os.path.abspath(out)), exist_ok=True)
    bad = 0
    wanted = [(tool, *entry) for tool in tools for entry in runs]
    with open(out + ".part", "w", encoding="utf-8", buffering=1) as log, \
            tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        write_species(os.path.join(folder, "species.tipsy"))
        log.write(f"{said.stdout.strip()}; {machine.name()}; {version(sanitizer)}; "
                  f"{time.strftime('%Y-%m-%d', time.gmtime())}\n")
        ended = pool.map(lambda tool, launcher, name, words: run(sanitizer, tool, launcher, programs.path(name), words,
                                                                 chosen.timeout, folder), *zip(*wanted))
        for (tool, launcher, name, words), (found, code, output) in zip(wanted, ended):
            good = found == 0 and code == 0
            bad += not good
            command = shlex.join([*launcher, name, *words])
            line = f"{'clean' if good else 'FAILED'}  {tool}  errors {found}  exit {code}  {command}"
            print(line, flush=True)
            log.write(line + "\n")
            if not good:
                log.writelines(f"    {line}\n" for line in output.splitlines()[:60])
        log.write(f"{bad} of {len(tools) * len(runs)} runs failed\n")
    os.replace(out + ".part", out)
    print(out)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
