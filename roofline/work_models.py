"""Work models: how many bytes and operations a kernel costs, from the report of a run.

A `work_model.toml` is in the folder of the kernels it describes. It lists

    [[kernel]]
    label = "copse::partition::move"       # the kernel's label
    functors = ["copse::detail::MoveTile"] # types in its name on a device, for profile.py
    source = "detail/partition_kernels.hpp" # the file that contains it
    when = "..."                           # optional: condition on the report for this model; a label
                                           # may have several models for different reports
    phase = true                           # optional: the label is that of a phase of the report, not of a
                                           # kernel; a phase counts as one launch
    lower_bound = true                     # optional: the work, and with it the share of a ceiling,
                                           # is a lower bound; the rest depends on the data
    each = "configurations"                # optional: once for each entry of that list of results,
                                           # whose values are names and whose walk_seconds the time
    use = "walk"                           # optional: other keys and definitions come from
                                           # [model.walk]
    items = "n * launches"                 # number of items in all launches of one run
    memory = "..."                         # bytes per item read from and written to memory
    L2 = "..."                             # bytes per item through L2; default: those of memory
    L1 = "..."                             # bytes per item requested by loads and stores
    flops = "..."                          # floating-point operations per item
    operations = "..."                     # all arithmetic, including masked lanes
    gathers = "..."                        # 32-byte sectors per item, each at a different location
    stream = "copy"                        # the bandwidth to compare with: read, copy, triad
    shape = "scalar"                       # best shape of its arithmetic, if not vectors
    precision = "double"                   # of its flops, if not that of the build
    unit = "float"                         # optional: its operations are flops too, of all lanes
    gather_stream = "tree"                 # the rate to compare gathers with: random, tree
    set = "..."                            # bytes of the kernel's working set; default: the
                                           # particles twice
    [kernel.where]                         # definitions for this model

Expressions (expressions.py) may use: app (its name), n (particles), launches (of this kernel), real and
index (bytes), sort_key, dimension, leaves, depth, on_host, packet (lanes), every option in effect with _
for -, every number in the results (depth may be that of its tree; 0 if unknown), those of the
method, its `figures` included, if the results have `methods` with a single entry, and runs(label),
launches_of(label), has(result), sum_of(result).
"""

import glob
import os
import statistics
import tomllib

from expressions import BadExpression, Lazy, evaluate

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
QUANTITIES = ("memory", "L2", "L1", "flops", "operations", "gathers")
KEYS = {"label", "functors", "source", "when", "each", "use", "items", "stream", "gather_stream",
        "set", "shape", "precision", "unit", "where", "phase", "lower_bound", *QUANTITIES}


class BadModel(Exception):
    """One sentence: a work model is wrong."""


def model_files(root=ROOT):
    return sorted(path for top in ("common", "miniapps")
                  for path in glob.glob(f"{root}/{top}/**/work_model.toml", recursive=True))


def _kernels_of(path):
    try:
        with open(path, "rb") as file:
            document = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BadModel(f"{path}: {error}") from None
    shared = document.get("model", {})
    for kernel in document.get("kernel", []):
        if "use" in kernel:
            if kernel["use"] not in shared:
                raise BadModel(f"{path}: there is no [model.{kernel['use']}]")
            model = shared[kernel["use"]]
            where = {**model.get("where", {}), **kernel.get("where", {})}
            kernel = {**model, **kernel, "where": where}
        kernel["file"] = path
        label = kernel.get("label", "a kernel without a label")
        unknown = set(kernel) - KEYS - {"file"}
        if unknown:
            raise BadModel(f"{path}: {label}: '{sorted(unknown)[0]}' means nothing")
        for needed in ("label", "functors", "source", "items", "memory", "stream"):
            if needed not in kernel:
                raise BadModel(f"{path}: {label}: '{needed}' is missing")
        yield kernel


def load_models(root=ROOT):
    """All kernels of all files, as dictionaries."""
    return [kernel for path in model_files(root) for kernel in _kernels_of(path)]


def first_samples(kernel, repeat):
    """(launches, seconds) of a kernel in the timed runs; later samples are of checks and counts."""
    launches = statistics.median_low(kernel["launches"][:repeat])
    seconds = kernel["seconds"] and statistics.median(kernel["seconds"]["samples"][:repeat])
    return launches, seconds


def names_of(report):
    """The names that expressions may use, from a report."""
    parameters = report["parameters"]
    repeat = int(parameters.get("repeat", 1))
    launches = {k["name"]: first_samples(k, repeat)[0] for k in report["kernels"]}
    results = report["results"]
    on_host = report["run"]["backend"] != "cuda"
    names = {name.replace("-", "_"): value for name, value in parameters.items()}
    methods = results.get("methods", [])
    only = methods[0] if len(methods) == 1 else {}
    only = {**only.get("figures", {}), **only}
    for part in (results, only):
        names.update({name: value for name, value in part.items()
                      if isinstance(value, (int, float)) and not isinstance(value, bool)})
    if only:
        names["method"] = only["method"]
    names.setdefault("depth", results.get("tree_levels", 0))
    names.update(
        app=report.get("app"), n=report["input"]["particles"],
        real=4 if report["build"]["real"] == "float" else 8, index=4, sort_key=8,
        dimension=parameters.get("dimension", 3), on_host=on_host, packet=16 if on_host else 32,
        runs=lambda label: label in launches,
        launches_of=lambda label: launches.get(label, 0),
        has=lambda name: name in results or name in only,
        sum_of=lambda name: sum(results[name]))
    return names


def _work(kernel, names):
    """Totals of one run of a kernel, or None where the model does not apply."""
    names = dict(names)
    names.update({name: Lazy(text) for name, text in kernel.get("where", {}).items()})
    if "when" in kernel and not evaluate(kernel["when"], names):
        return None
    items = evaluate(kernel["items"], names)
    names["items"] = items
    if items == 0:
        return None
    per_item = {}
    for quantity in QUANTITIES:
        if quantity in kernel:
            per_item[quantity] = evaluate(kernel[quantity], names)
            names[quantity] = per_item[quantity]
    per_item.setdefault("L2", per_item["memory"])
    work = {quantity: value * items for quantity, value in per_item.items()}
    rows = 2 * names["n"] * (names["dimension"] * names["real"] + names["index"])
    work["set"] = evaluate(kernel["set"], names) if "set" in kernel else rows
    return {"items": items, "stream": kernel["stream"],
            "gather_stream": kernel.get("gather_stream", "random"),
            **{key: kernel[key] for key in ("shape", "precision", "unit", "lower_bound")
               if key in kernel}, **work}


def apply(report, models):
    """The modelled kernels and phases of a report: {label, seconds, launches, items, stream, set, and totals
    of memory, L2, L1, flops, operations, gathers as far as they are modelled}."""
    repeat = int(report["parameters"].get("repeat", 1))
    kernels = {k["name"]: k for k in report["kernels"]}
    phases = {p["name"]: {"launches": [1], **p} for p in report.get("phases", [])}
    names = names_of(report)
    points = []
    for model in models:
        kernel = (phases if model.get("phase") else kernels).get(model["label"])
        if kernel is None:
            continue
        launches, seconds = first_samples(kernel, repeat)
        try:
            if "each" in model:
                for entry in report["results"].get(model["each"], []):
                    work = _work(model, {**names, **entry, "launches": launches})
                    if work:
                        name = " ".join(str(entry[k]) for k in ("walk", "schedule") if k in entry)
                        points.append({"label": model["label"], "of": name, "launches": 1,
                                       "seconds": entry["walk_seconds"], **work})
            elif seconds is not None:
                work = _work(model, {**names, "launches": launches})
                if work:
                    points.append({"label": model["label"], "launches": launches,
                                   "seconds": seconds, **work})
        except BadExpression as error:
            raise BadModel(f"{model['file']}: {model['label']}: {error}") from None
    return points
