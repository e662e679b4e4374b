"""Machine files: reports of `ceilings --json`, one in machines/ for each machine measured."""

import json

LEVELS = ("L1", "L2", "L3", "memory")


class BadMachine(Exception):
    """One sentence: a machine file is missing, damaged or lacks a backend."""


def load_json(path, error=BadMachine):
    """A JSON file, or one sentence why not."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as problem:
        raise error(f"{path}: {problem.strerror}") from None
    except ValueError as problem:
        raise error(f"{path}: not JSON: {problem}") from None


def backends_of(path):
    """The backends that a machine file has ceilings of; none if it is another file."""
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
        self.levels = [level for level in self.ceilings["levels"] if level["bytes_per_second"]]

    @property
    def name(self):
        machine = self.report["machine"]
        if not self.on_host and machine["gpu"]:
            return machine["gpu"]["name"]
        return f"{machine['cpu']}, {self.ceilings['threads']} threads"

    @property
    def provenance(self):
        report = self.report
        commit = report["git"]["commit"][:10] + ("-dirty" if report["git"]["dirty"] else "")
        return (f"{self.name}, {self.backend}, {report['build']['compiler']}, commit {commit}, "
                f"{report['run']['started']}" + (", quick" if self.quick else ""))

    def level(self, name):
        return next((level for level in self.levels if level["name"] == name), None)

    def level_of(self, working_set):
        """The nearest measured level that holds so many bytes."""
        for level in self.levels:
            if level["bytes"] is None or working_set <= level["bytes"]:
                return level
        return self.levels[-1]

    def bandwidth(self, level, stream):
        """Bytes per second of a stream, or of the fastest if a level has not that one."""
        rates = level["bytes_per_second"]
        streams = {name: rate for name, rate in rates.items() if name not in ("random", "tree")}
        return rates.get(stream) or max(streams.values(), default=None)

    def gather_rate(self, working_set, stream):
        """Bytes per second of gathers from a set: that of the nearest larger one measured."""
        rates = sorted((r["bytes"], r["bytes_per_second"]) for r in self.ceilings["sweep"]
                       if r["stream"] == stream)
        for size, rate in rates:
            if size >= working_set:
                return rate
        return rates[-1][1] if rates else None

    def operations(self, kind, shape=None):
        """Most operations per second of float, double or integer: of that shape, where the backend
        has it, or by whatever shape."""
        shapes = self.shapes(kind)
        return shapes.get(shape) or max(shapes.values(), default=None)

    @property
    def issue_rate(self):
        """Instructions of warps per second that a device issues at least: those of the float peak, each
        a fused multiplication and addition of 32 lanes. On devices with as many float lanes as
        schedulers can feed (four times 32 a multiprocessor: compute capabilities 8.6 to 9.0) that is
        all they issue. None on a host."""
        rate = self.operations("float")
        return None if self.on_host or not rate else rate / (2 * 32)

    def shapes(self, kind):
        """Operations per second by shape: scalar, vector, thread."""
        return self.ceilings["operations_per_second"].get(kind, {})
