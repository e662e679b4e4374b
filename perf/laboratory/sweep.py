"""An experiment on this machine: the list of its points.

A point is one call of a program. Every case of an experiment combines its variants with the axes of its
sweep, in the order of the file; expressions ("= leaves * 2") are evaluated last.
"""

import itertools
from dataclasses import dataclass, field

from . import machine
from .failures import Failed, Unsupported
from .sizes import choose, spread
from .vocabulary import evaluate, without_data_folder

# Names used by the runner itself; all others of `options` and `sweep` are passed to the program.
RUNNER = ("program", "ranks", "threads", "repeat", "verify")


@dataclass
class Point:
    """One call: the label of its row and the arguments of the program."""
    values: dict                 # every name of the point, with underscores
    arguments: list              # options of the program
    program: str
    ranks: int = 1
    threads: int | None = None
    repeat: int = 1
    verify: bool = True
    case: int = 0
    environment: dict = field(default_factory=dict)
    label: str = field(default="")


@dataclass
class Settings:
    """The user's settings for all points."""
    quick: bool = False
    repeat: int | None = None
    overrides: dict = field(default_factory=dict)
    cores: int = field(default_factory=machine.cores)
    gpus: int = field(default_factory=lambda: len(machine.gpu_names()))


def underscored(name):
    return name.replace("-", "_")


def axis(name, value, settings, roles):
    """Values of one axis; backends by their roles, `cores` and `gpus` replaced by their number."""
    if underscored(name) in settings.overrides:
        return settings.overrides[underscored(name)]
    value = choose(value, settings.quick)
    if value in ("cores", "gpus"):
        most = settings.cores if value == "cores" else settings.gpus
        powers = [2**k for k in range(12) if 2**k <= most]
        return powers + [most] if powers and powers[-1] != most else powers
    values = spread(value)
    if name != "backend":
        return values
    found = [backend for word in values for backend in roles.resolve(word)]
    return list(dict.fromkeys(found))


def _fixed(values, settings, roles):
    fixed = {}
    for name, value in values.items():
        chosen = settings.overrides.get(underscored(name))
        fixed[name] = chosen[0] if chosen else choose(value, settings.quick)
        if name == "backend":
            fixed[name] = next(iter(roles.resolve(fixed[name])), None)
    return fixed


def _point(experiment, case_index, fixed, known, variant, settings):
    """One point, or None if its backend is not available."""
    names = {**known, "quick": settings.quick}
    options = {"program": variant.get("program", experiment["program"]), **fixed,
               **{k: choose(v, settings.quick) for k, v in variant.get("options", {}).items()}}
    final = {}
    for name, value in options.items():
        if isinstance(value, str) and value.startswith("="):
            value = evaluate(value[1:].strip(), names, experiment.path)
        final[name] = value
        names[underscored(name)] = value
    if "backend" in final and final["backend"] is None:
        return None
    arguments = []
    for name, value in final.items():
        if name in RUNNER or value is None or value is False:
            continue
        arguments += [f"--{name}"] if value is True else [f"--{name}", _text(value)]
    values = {key: without_data_folder(value) if isinstance(value, str) else value
              for key, value in names.items() if key not in ("quick", "program")}
    repeat = final.get("repeat", 1 if settings.quick else 5)
    if settings.repeat and "repeat" not in known:  # an axis of the experiment overrides it
        repeat = settings.repeat
        if "repeat" in values:
            values["repeat"] = repeat
    return Point(values, arguments, final["program"],
                 final.get("ranks", 1), final.get("threads"), repeat, final.get("verify", True),
                 case_index, variant.get("environment", {}))


def _text(value):
    return repr(value) if isinstance(value, float) else str(value)


def points(experiment, roles, settings):
    """All points of the experiment; raises Unsupported if this build and machine leave none."""
    found, used = [], set()
    for index, case in enumerate(experiment.cases()):
        axes = {**case["given"], **case["sweep"]}
        swept = {name: axis(name, value, settings, roles) for name, value in axes.items()
                 if name in case["sweep"] or isinstance(value, list)
                 or isinstance(value, dict) or underscored(name) in settings.overrides}
        constants = {k: choose(v, settings.quick) for k, v in axes.items() if k not in swept}
        used |= {underscored(n) for n in (*axes, *case["options"])}
        for product in itertools.product(*swept.values()):
            at = dict(zip(swept, product))
            options = _fixed(case["options"], settings, roles)
            for variant in case["variant"] or [{}]:
                known = {underscored(k): v
                         for k, v in {**constants, **at, **variant.get("given", {})}.items()}
                known |= {k: v for k, v in roles.names().items() if k not in known}
                if "label" in variant:
                    known["variant"] = variant["label"]
                passed = {**options, **{k: v for k, v in at.items() if k in case["sweep"]}}
                local = variant
                if isinstance(variant.get("options", {}).get("backend"), str) and \
                        not variant["options"]["backend"].startswith("="):
                    backend = next(iter(roles.resolve(variant["options"]["backend"])), None)
                    local = {**variant, "options": {**variant["options"], "backend": backend}}
                point = _point(experiment, index, passed, known, local, settings)
                if point is None:
                    continue
                for role in roles.names():
                    point.values.pop(role, None)
                point.label = _label(point, swept)
                found.append(point)
    unknown = set(settings.overrides) - used
    if unknown:
        raise Failed(f"--set {', '.join(sorted(unknown))}: {experiment.name} has no such option: "
                     f"one of {', '.join(sorted(used))}")
    axes = {underscored(name) for case in experiment.cases() for name in (*case["given"], *case["sweep"])}
    several = sorted(name for name, values in settings.overrides.items() if len(values) > 1 and name not in axes)
    if several:
        raise Failed(f"--set {', '.join(several)}: {experiment.name} takes one value of it, not several")
    if not found:
        raise Unsupported(f"{experiment.name} has nothing to run with the backends "
                          f"{', '.join(roles.backends)} and {settings.gpus} GPUs")
    return found


def _label(point, swept):
    parts = [str(point.values["variant"])] if "variant" in point.values else []
    parts += [f"{name} {point.values.get(underscored(name))}" for name in swept]
    return ", ".join(parts)


def keys(experiment):
    """Columns that distinguish rows, in the order of the file: the swept ones, variants, the backend if
    cases differ in it, and those named in the file."""
    backends = {str(case["options"].get("backend")) for case in experiment.cases()}
    found = ["backend"] if len(backends) > 1 else []
    for case in experiment.cases():
        for name, value in {**case["given"], **case["sweep"]}.items():
            if name in case["sweep"] or isinstance(value, (list, dict)):
                found.append(underscored(name))
        if any("label" in v for v in case["variant"]):
            found.append("variant")
    return list(dict.fromkeys([*found, *experiment.get("keys", [])]))
