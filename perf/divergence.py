#!/usr/bin/env python3
"""Seed 004 figures 3.11 and 3.12 and table 3.2: walks and schedules beside each other.

    perf/divergence.py --traversal build/cuda/bin/traversal --out results

Every benchmark of the paper on each of its inputs, or on what stands in for them (see
miniapps/traversal/README.md): 400,000 points, half of which ask the other half, and a million
particles of gravity. Everything is relative to lockstep in the order of the input, the time of
scheduling included.
"""

import math

import experiment

# Input of the paper: dimension and model.
INPUTS = {"Covtype": (7, "covtype-like"), "Mnist": (7, "mnist-like"), "Rand_Dim7": (7, "uniform"),
          "Geocity": (2, "geographic"), "Plummer": (3, "plummer"), "Rand_Dim3": (3, "uniform")}
BARS = ["fsm none", "lockstep sorted", "fsm sorted", "fsm hybrid (host)", "fsm hybrid", "fsm auto",
        "ropes none", "ropes sorted"]


def configurations(report):
    return {f"{c['walk']} {'auto' if c['automatic'] else c['schedule']}": c
            for c in report["results"]["configurations"]}


def seconds(c):
    return c["schedule_seconds"] + c["walk_seconds"]


def measure_one(e, benchmark, name):
    dimension, model = INPUTS[name]
    gravity = benchmark == "barnes-hut"
    n = e.size(full=1_000_000 if gravity else 400_000, quick=1000)
    arguments = ["--benchmark", benchmark, "--dimension", dimension, "--generate", model,
                 "--particles", n, "--backend", e.device() or e.cpu()]
    if not gravity and benchmark != "point-correlation":
        arguments += ["--queries", "split"]
    found = configurations(e.run(*arguments, "--walk", "all", "--schedule", "all"))
    host = {walk: configurations(e.run(*arguments, "--walk", walk, "--schedule", "hybrid",
                                       "--scheduler", "host"))[f"{walk} hybrid"]
            for walk in ("lockstep", "fsm")}
    found["fsm hybrid (host)"] = host["fsm"]
    base = found["lockstep none"]
    row = {"benchmark": benchmark, "input": name, "model": model, "particles": n,
           "baseline_seconds": seconds(base)}
    row["speed_up"] = {bar: seconds(base) / seconds(found[bar]) for bar in BARS if bar in found}
    row["overhead"] = {bar: found[bar]["schedule_seconds"] / seconds(found[bar])
                       for bar in ("fsm sorted", "fsm hybrid (host)", "fsm hybrid")}
    row["nodes_per_packet"] = {s: found[f"lockstep {s}"]["nodes_per_packet"]
                               for s in ("none", "sorted", "hybrid")}
    row["nodes_per_packet"]["hybrid (host)"] = host["lockstep"]["nodes_per_packet"]
    row["utilisation"] = {s: found[f"lockstep {s}"]["utilisation"]
                          for s in ("none", "sorted", "hybrid")}
    chosen = {key: seconds(c) for key, c in found.items() if not key.endswith((" auto", "(host)"))}
    row["auto_over_best"] = {
        walk: seconds(found[f"{walk} auto"]) / min(s for key, s in chosen.items()
                                                   if key.startswith(f"{walk} "))
        for walk in ("lockstep", "fsm", "ropes")}
    row["fsm_auto_over_best_of_all"] = seconds(found["fsm auto"]) / min(chosen.values())
    published = e.published["table"][benchmark][name]
    row["published_nodes"] = {s: published[f"nodes_{key}"] for s, key in
                              (("none", "unsorted"), ("sorted", "sorted"), ("hybrid", "hybrid"))}
    return row


def measure(e):
    rows = []
    for benchmark, inputs in e.published["table"].items():
        for name in inputs:
            if e.quick and name in ("Mnist", "Rand_Dim3", "Covtype"):
                continue
            dimension = INPUTS[name][0]
            try:
                rows.append(measure_one(e, benchmark, name))
            except experiment.Failed as failed:
                if "no trees in" not in str(failed):
                    raise
                e.note(f"this build has no trees in {dimension} dimensions: {name} is left out")
    return rows


def mean(rows, bar):
    values = [row["speed_up"][bar] for row in rows if bar in row["speed_up"]]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0.0


def draw(figure, document):
    rows = document["rows"]
    axes = figure.subplots()
    width = 0.8 / len(BARS)
    for i, bar in enumerate(BARS):
        at = [k + i * width for k, row in enumerate(rows) if bar in row["speed_up"]]
        heights = [row["speed_up"][bar] for row in rows if bar in row["speed_up"]]
        if heights:
            axes.bar(at, heights, width, label=f"{bar} ({mean(rows, bar):.2f})")
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.axhline(document["published"]["hybrid_over_unsorted"], color="black", linestyle=":",
                 label="seed 004: hybrid, 5.96 on average")
    axes.set_xticks([k + 0.4 for k in range(len(rows))],
                    [f"{row['benchmark']}\n{row['input']}" for row in rows], rotation=90, fontsize=6)
    axes.set(yscale="log", ylabel="speed-up over lockstep in input order",
             title="Walks and schedules, scheduling included (seed 004 figure 3.11)")
    axes.legend(fontsize=6, ncols=2, title="geometric mean in brackets", title_fontsize=6)


if __name__ == "__main__":
    experiment.main("divergence", __doc__, measure, draw, program="traversal")
