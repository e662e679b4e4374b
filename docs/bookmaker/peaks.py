"""Shares of the peak of the cores in use: ours beside those of [Li, Scott, Twigg 2012]."""

import pathlib
import sys

from . import BookError, results, tables  # importing results puts perf/ on the path

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "roofline"))
from laboratory import catalogue  # noqa: E402
from laboratory.rows import complete  # noqa: E402
from machine import Machine  # noqa: E402
from work_models import apply, load_models  # noqa: E402


def shares(root, counted, *names):
    """A line for each row of the given FIGURE MACHINE/EXPERIMENT pairs that has a published share. Our share is the
    flops divided by seconds, by cores and by the peak of one core, the fastest double arithmetic in the machine's file.
    Flops come from the row (`mflops`), else from a row of COUNTED with the same method, particles and steps, else
    from the work model."""
    others, made = results.load(root, counted)["rows"], []
    for figure, name in zip(names[::2], names[1::2]):
        machine, experiment = name.split("/")
        peak = Machine(f"{root}/roofline/machines/{machine}.json", "serial").operations("double")
        document = results.load(root, name)
        for row in complete(catalogue.load(experiment, root / "perf/experiments"), document["rows"]):
            if row["published_percent_of_peak"] is None:
                continue
            cores = row.get("ranks", row.get("threads", 1))
            share = flops(root, row, others) / row["seconds"] / cores / peak
            made.append([figure, f"`{row['method']}`", f"{row['particles']:,}", str(cores),
                         f"{row['published_percent_of_peak']:.3g}", f"{100 * share:#.2g}"])
    if not made:
        raise BookError(f"no row of {' '.join(names)} has a published share")
    return tables.markdown(["figure", "method", "particles", "cores", "published, %", "here, %"], made)


def flops(root, row, counted):
    """Of all steps of a row."""
    same = next((other for other in [row, *counted] if "mflops" in other and all(
        other[k] == row[k] for k in ("method", "particles", "steps"))), None)
    if same is not None:
        return 1e6 * same["mflops"] * same["seconds"]
    if not row["method"].startswith("microblocks"):
        raise BookError(f"no row counts the flops of {row['method']} with {row['particles']} particles")
    n, kernels = row["particles"], ("forces_of_blocks", "move_blocks")
    # 0.2 particles for each square of the reach; contacts, which are few, are not in old rows.
    report = {"app": "collide", "input": {"particles": n}, "build": {"real": "double"},
              "run": {"backend": row["backend"]}, "parameters": {"repeat": 1, "steps": row["steps"], "dimensions": 2},
              "results": {"methods": [{"method": row["method"], "crowding": 0.2, "contacts": 0}]},
              "kernels": [{"name": f"copse::collide::{kernel}", "launches": [row["steps"]],
                           "seconds": {"samples": [1.0]}} for kernel in kernels]}
    return sum(point["flops"] for point in apply(report, load_models(str(root))))
