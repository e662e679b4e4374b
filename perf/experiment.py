"""What every experiment does the same way: run a mini-app, refuse what is not verified, keep its
reports.

An experiment is a script with a function `measure(e)` that returns rows and a function
`draw(figure, result)`; it ends with

    if __name__ == "__main__":
        experiment.main("fig22", __doc__, measure, draw)   # of orb; or program="traversal"

which writes OUT/fig22.json and OUT/fig22.png. The JSON holds

    {"experiment", "source", "command", "quick", "commit", "machine", "published", "rows", "notes",
     "runs"}

`published` is this experiment's part of published.json, `rows` what was measured beside it, `runs`
the reports that the rows come from.

Exit codes: 0; 2 for bad input or a run that failed; 4 if the program does not know what the
experiment needs. One sentence on stderr says which.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
UNSUPPORTED = 4
# Phases inside a build, and what the thesis calls them.
PART_NAMES = {
    "copse::bisect::select": "find cuts", "copse::bisect::partition": "partition",
    "copse::fused::bracket": "find cuts", "copse::fused::sweep": "find cuts",
    "copse::fused::resolve": "find cuts", "copse::fused::move": "partition",
}


class Failed(Exception):
    """One sentence: a run went wrong, or its result was."""


class Unsupported(Exception):
    """One sentence: this orb lacks an option, a variant or a result."""


def build_seconds(report):
    """Median seconds of the build that a report of orb or of a peer is about."""
    builds = [p["seconds"]["median"] for p in report["phases"]
              if p["name"].startswith(("copse::orb::build_", "peer::build"))]
    if not builds:
        raise Failed(f"{report['app']} reported no phase of its build")
    return max(builds)


def parts_of_build(report):
    """Seconds by part of a build; what no known phase claims is `other`.

    Sending all particles to the device beforehand comes on top.
    """
    parts = {}
    for p in report["phases"]:
        if p["name"] in PART_NAMES:
            name = PART_NAMES[p["name"]]
            parts[name] = parts.get(name, 0.0) + p["seconds"]["median"]
    parts["other"] = max(0.0, build_seconds(report) - sum(parts.values()))
    for p in report["phases"]:
        if p["name"].startswith("copse::orb::send_"):
            parts["send"] = p["seconds"]["median"]
    return parts


def seconds_without_partition(report):
    """What the thesis compares: the build less the time in its partition."""
    return build_seconds(report) - parts_of_build(report).get("partition", 0.0)


def result(report, key):
    """One of a report's results. A missing one is a missing feature, not a zero."""
    if key not in report["results"]:
        raise Unsupported(f"this {report['app']} does not report results.{key}")
    return report["results"][key]


def power_of_two(n):
    return f"2^{n.bit_length() - 1}" if n > 0 and n & (n - 1) == 0 else f"{n:,}"


class Experiment:
    """One experiment's options and the runs it has made."""

    def __init__(self, options, published):
        self.options = options
        self.quick = options.quick
        self.published = published
        self.runs = []
        self.notes = []
        self._help = None

    def size(self, full, quick):
        """Number of particles: --particles, or one of two defaults."""
        return self.options.particles or (quick if self.quick else full)

    def note(self, sentence):
        """Something a reader of the result must know; also said on stderr."""
        if sentence not in self.notes:
            self.notes.append(sentence)
            print(sentence, file=sys.stderr)

    def help(self):
        if self._help is None:
            self._help = self._call([self.options.program, "--help"]).stdout
        return self._help

    def backends(self):
        """Backends of the build, slowest first."""
        known = ("serial", "openmp", "cuda")
        for line in self.help().split("\n  --"):
            if line.startswith("backend "):
                words = line.replace(",", " ").split()
                return [b for b in known if b in words]
        raise Failed(f"{self.options.program} --help names no backends")

    def cpu(self):
        """The backend that stands for the CPU."""
        return "openmp" if "openmp" in self.backends() else "serial"

    def device(self):
        """The backend whose speed-up over the CPU is asked for; None if there is no other."""
        others = [b for b in self.backends() if b != self.cpu()]
        return "cuda" if "cuda" in others else None

    def pair(self):
        """(slower, faster) backend to compare: CPU and GPU, or without one, serial and openmp."""
        if self.device():
            return self.cpu(), self.device()
        self.note("this build has no GPU backend: openmp stands for it and serial for the CPU")
        return "serial", self.backends()[-1]

    def _call(self, command, environment=None):
        try:
            return subprocess.run(command, capture_output=True, text=True, check=False,
                                  env={**os.environ, **(environment or {})})
        except OSError as error:
            raise Failed(f"{command[0]} cannot be started: {error.strerror}") from None

    def run(self, *arguments, program=None, ranks=1, threads=None, verify=True):
        """Runs the mini-app, or another program of the suite, and returns its report, which is kept.

        Verified unless told otherwise. `threads` are OpenMP's of each rank.
        """
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.json")
            command = [program or self.options.program, *map(str, arguments), "--json", path]
            if verify:
                command.append("--verify")
            command += ["--repeat", "1" if self.quick else str(self.options.repeat)]
            if ranks > 1:
                command = [*shlex.split(self.options.mpirun), "-n", str(ranks), *command]
            done = self._call(command, threads and {"OMP_NUM_THREADS": str(threads)})
            errors = [line for line in done.stderr.splitlines() if ": error: " in line]
            sentence = (errors or done.stderr.strip().splitlines() or ["no message"])[0]
            if done.returncode == 2 and any(
                    text in done.stderr for text in ("unknown option", "is not one of",
                                                     "partitions on one rank")):
                raise Unsupported(f"this program cannot do that: {sentence}")
            if done.returncode != 0:
                raise Failed(f"{shlex.join(command)} ended with {done.returncode}: {sentence}")
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
        verification = report["verification"]
        if verify and not (verification["requested"] and verification["passed"]):
            raise Failed(f"the result of {shlex.join(command)} is not verified")
        self.runs.append(report)
        return report

    def try_run(self, *arguments, **more):
        """As `run`, or None with a note where this program lacks what is asked for."""
        try:
            return self.run(*arguments, **more)
        except Unsupported as error:
            self.note(str(error))
            return None


def _commit(runs, given):
    if given:
        return given
    commits = {run["git"]["commit"] + ("-dirty" if run["git"]["dirty"] else "") for run in runs}
    if len(commits) > 1:
        raise Failed(f"the runs come from different commits: {', '.join(sorted(commits))}")
    return commits.pop() if commits else "unknown"


def _options(name, description, add_arguments, program):
    parser = argparse.ArgumentParser(prog=f"{name}.py", description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(f"--{program}", dest="program", required=True,
                        help=f"the program, build/cuda/bin/{program} for instance")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder of the JSON and the PNG")
    parser.add_argument("--quick", action="store_true", help="tiny sizes and one repeat")
    parser.add_argument("--particles", type=int, help="instead of the experiment's own size")
    parser.add_argument("--repeat", type=int, default=3, help="timed runs (default: 3)")
    parser.add_argument("--commit", help="of a build that was made without its history")
    parser.add_argument("--mpirun", default="mpirun", help="how ranks are started (default: mpirun)")
    if add_arguments:
        add_arguments(parser)
    return parser.parse_args()


def _write(path, save):
    extension = os.path.splitext(path)[1]
    temporary = f"{path}.partial{extension}"
    try:
        save(temporary)
        os.replace(temporary, path)
    except OSError as error:
        raise Failed(f"{path} cannot be written: {error.strerror}") from None
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def _save_json(document, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")


def main(name, description, measure, draw, add_arguments=None, program="orb"):
    """Runs the experiment of a script and ends the process."""
    options = _options(name, description, add_arguments, program)
    try:
        try:
            import matplotlib
            matplotlib.use("Agg")
            from matplotlib import pyplot
        except ImportError as missing:
            raise Failed(f"matplotlib is needed: {missing}") from None
        with open(os.path.join(HERE, "published.json"), encoding="utf-8") as file:
            published = json.load(file)[name]
        os.makedirs(options.out, exist_ok=True)
        experiment = Experiment(options, published)
        rows = measure(experiment)
        if not rows:
            raise Unsupported(f"this {program} has none of the variants that the experiment compares")
        document = {
            "experiment": name, "source": published["source"],
            "command": shlex.join(sys.argv), "quick": options.quick,
            "commit": _commit(experiment.runs, options.commit),
            "machine": experiment.runs[0]["machine"] if experiment.runs else {},
            "published": published, "rows": rows, "notes": experiment.notes,
            "runs": experiment.runs,
        }
        base = os.path.join(options.out, name)
        _write(f"{base}.json", lambda path: _save_json(document, path))
        figure = pyplot.figure(figsize=(9, 5.5), layout="constrained")
        draw(figure, document)
        _write(f"{base}.png", lambda path: figure.savefig(path, dpi=120))
        print(f"{base}.json and {base}.png")
    except Unsupported as error:
        print(f"{name}.py: {error}", file=sys.stderr)
        sys.exit(UNSUPPORTED)
    except (Failed, OSError) as error:
        print(f"{name}.py: error: {error}", file=sys.stderr)
        sys.exit(2)
