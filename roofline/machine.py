"""Machine files: reports of `ceilings --json`, one in machines/ for each machine measured."""

import json

LEVELS = ("L1", "L2", "L3", "memory")
GATHERS = {"random", "tree"}  # the other rates are of streams


class BadMachine(Exception):
    """One sentence: a machine file is missing, damaged or lacks a backend."""


def load_json(path, error=BadMachine):
    """Reads a JSON file, or raises an error of one sentence."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as problem:
        raise error(f"{path}: {problem.strerror}") from None
    except ValueError as problem:
        raise error(f"{path}: not JSON: {problem}") from None


def backends_of(path):
    """The backends whose ceilings a machine file has; none for any other file."""
    report = load_json(path)
    if not isinstance(report, dict) or report.get("app") != "ceilings":
        return []
    return [c["backend"] for c in report["results"]["ceilings"]]


class Machine:
    """The ceilings of one backend of a machine file."""

    def __init__(self, path, backend):
        report = load_json(path)
        if not isinstance(report, dict) or report.get("app") != "ceilings":
            raise BadMachine(f"{path}: not a report of ceilings")
        found = {c["backend"]: c for c in report["results"]["ceilings"]}
        if backend not in found:
            raise BadMachine(f"{path}: has {', '.join(found)}, not {backend}")
        self.path = path
        self.report = report
        self.backend = backend
        self.quick = report["results"]["quick"]
        self.ceilings = found[backend]
        self.on_host = self.ceilings["on_host"]
        # A level may have rates of gathers alone.
        self.levels = [level for level in self.ceilings["levels"]
                       if not GATHERS.issuperset(level["bytes_per_second"])]

    @property
    def name(self):
        machine = self.report["machine"]
        if not self.on_host and machine["gpu"]:
            return machine["gpu"]["name"]
        threads = self.ceilings["threads"]
        return f"{machine['cpu']}, {threads} thread{'s' if threads > 1 else ''}"

    @property
    def provenance(self):
        report = self.report
        commit = report["git"]["commit"][:10] + ("-dirty" if report["git"]["dirty"] else "")
        return (f"{self.name}, {self.backend}, {report['build']['compiler']}, commit {commit}, "
                f"{report['run']['started']}" + (", quick" if self.quick else ""))

    def level(self, name):
        return next((level for level in self.levels if level["name"] == name), None)

    def level_of(self, working_set):
        """The nearest measured level that holds this many bytes."""
        for level in self.levels:
            if level["bytes"] is None or working_set <= level["bytes"]:
                return level
        return self.levels[-1]

    def bandwidth(self, level, stream):
        """Bytes per second of a stream, or of the fastest stream if the level lacks it."""
        rates = level["bytes_per_second"]
        streams = {name: rate for name, rate in rates.items() if name not in GATHERS}
        return rates.get(stream) or max(streams.values(), default=None)

    def gather_rate(self, working_set, stream):
        """Bytes per second of gathers from a set: the rate of the nearest larger set measured."""
        rates = sorted((r["bytes"], r["bytes_per_second"]) for r in self.ceilings["sweep"]
                       if r["stream"] == stream)
        for size, rate in rates:
            if size >= working_set:
                return rate
        return rates[-1][1] if rates else None

    def operations(self, kind, shape=None):
        """Peak operations per second of float, double or integer, for the given shape if the backend
        has it, otherwise for any shape."""
        shapes = self.shapes(kind)
        return shapes.get(shape) or max(shapes.values(), default=None)

    @property
    def issue_rate(self):
        """A lower bound of the warp instructions that a device issues per second: those of the float
        peak, each a fused multiply-add of 32 lanes. On devices with as many float lanes as their
        schedulers can feed (four times 32 per multiprocessor: compute capabilities 8.6 to 9.0) this is
        the issue limit. None on a host."""
        rate = self.operations("float")
        return None if self.on_host or not rate else rate / (2 * 32)

    def shapes(self, kind):
        """Operations per second by shape: scalar, vector, thread."""
        return self.ceilings["operations_per_second"].get(kind, {})
