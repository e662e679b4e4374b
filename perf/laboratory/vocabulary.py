"""The expressions of experiment files: Python expressions over a point, its report and these names.

Experiment files are part of the suite and trusted like its scripts.
"""

import fnmatch
import math
import os
import statistics

from .failures import Failed, Unsupported

# Phases inside a build of orb, and their names in [Rehmann 2022].
PART_NAMES = {
    "copse::bisect::select": "find cuts", "copse::bisect::partition": "partition",
    "copse::fused::bracket": "find cuts", "copse::fused::sweep": "find cuts",
    "copse::fused::resolve": "find cuts", "copse::fused::move": "partition",
}


class Results(dict):
    """A report's results: a missing one means a missing feature of the program, not zero."""

    def __missing__(self, key):
        raise Unsupported(f"this program does not report results.{key}")


def phase_samples(report, pattern):
    """Samples of the longest phase whose name matches the shell pattern."""
    found = [p["seconds"] for p in report["phases"] if fnmatch.fnmatchcase(p["name"], pattern)]
    if not found:
        raise Failed(f"{report['app']} reported no phase {pattern}")
    return max(found, key=lambda s: s["median"])["samples"]


def work_samples(report):
    """Samples of the timed phase of a mini-app: a build of orb or of a peer, all of fof, schedule and
    walk of the only configuration of traversal, all of the first method of gravity, all steps of collide."""
    if report["app"] == "traversal":
        walked = report["results"]["configurations"][0]
        schedule = "auto" if walked["automatic"] else walked["schedule"]
        return phase_samples(report, f"copse::traversal::{walked['walk']}_{schedule}")
    if report["app"] == "gravity":
        return phase_samples(report, f"copse::gravity::{report['results']['methods'][0]['method']}")
    pattern = {"orb": "copse::orb::build_*", "fof": "copse::fof::run_*", "collide": "copse::collide::steps_*"}
    return phase_samples(report, pattern.get(report["app"], "peer::build*"))


def parts_of_build(report, build):
    """Seconds by part of a build of orb; the time outside all known phases is `other`. `send`, the copy of
    all particles to the device before the build, is added."""
    parts = {}
    for p in report["phases"]:
        if p["name"] in PART_NAMES:
            name = PART_NAMES[p["name"]]
            parts[name] = parts.get(name, 0.0) + p["seconds"]["median"]
    parts["other"] = max(0.0, build - sum(parts.values()))
    for p in report["phases"]:
        if p["name"].startswith("copse::orb::send_"):
            parts["send"] = p["seconds"]["median"]
    return parts


def data(file):
    """The path of a file of the folder COPSE_DATA_DIR."""
    folder = os.environ.get("COPSE_DATA_DIR")
    path = os.path.join(folder or "COPSE_DATA_DIR", file)
    if not folder or not os.path.exists(path):
        raise Unsupported(f"the input {path} is missing")
    return path


def without_data_folder(text):
    """A text for readers, whose COPSE_DATA_DIR is another folder."""
    folder = os.environ.get("COPSE_DATA_DIR")
    return text.replace(folder, "$COPSE_DATA_DIR") if folder else text


def half_dispersion(n):
    """Half the dispersion of a velocity component in a sphere of 10^4 of n particles at 200 times
    the mean density: the velocity link of the 6-D experiments of fof."""
    mass = 1e4 / n
    radius = (3 * mass / (4 * math.pi * 200)) ** (1 / 3)
    return 0.5 * math.sqrt(mass / (2 * radius))


def collide_flops(method, particles):
    """Flops of a step of a method of collide: 8 for a motion, 6 for a candidate, 13 for a contact, which only the
    sweeps compute once for both particles."""
    last = method["records"][-1]
    contact = 6.5 if method["method"].startswith("sweep") else 13
    return 8 * particles + 6 * last["candidates"] + contact * last["contacts"]


NAMES = {
    "data": data, "collide_flops": collide_flops, "half_dispersion": half_dispersion, "log2": math.log2, "sqrt": math.sqrt,
    "median": statistics.median, "sum": sum, "min": min, "max": max, "abs": abs, "len": len,
    "next": next, "range": range, "dict": dict, "str": str, "int": int, "float": float, "zip": zip,
    "sorted": sorted, "round": round,
}


def of_report(report, backend):
    """Names that an expression about one report may use."""
    def samples(pattern):
        return phase_samples(report, pattern.replace("{backend}", str(backend)))

    return {
        "report": report, "results": Results(report["results"]), "samples": samples,
        "phase_seconds": lambda pattern: statistics.median(samples(pattern)),
        "work_samples": lambda: work_samples(report),
        "parts_of_build": lambda build: parts_of_build(report, build),
    }


def evaluate(expression, names, where):
    """The value of an expression; `where` names its location in an error."""
    try:
        # One dictionary, so that comprehensions inside the expression see the names as well.
        return eval(f"({expression})", {"__builtins__": {}, **NAMES, **names})
    except (Failed, Unsupported):
        raise
    except Exception as error:
        raise Failed(f"{where}: {expression!r} has no value: "
                     f"{type(error).__name__} {error}") from None
