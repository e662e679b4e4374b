#!/usr/bin/env python3
"""Runs the gravity mini-app on several ranks: fields and steps are those of one rank, and what did
not arrive is noticed.

Usage: check_gravity_ranks.py PROGRAM FOLDER MPIEXEC NUMPROC_FLAG SABOTAGED
"""
import itertools
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from check_gravity import BY_TARGETS  # noqa: E402
from program_checks import check, run  # noqa: E402


def ranks(program, folder, mpiexec, numproc, sabotaged):
    def over(count, *arguments, what=program, **environment):
        return run(mpiexec, numproc, str(count), what, "--repeat", "1", "--backend", "serial",
                   *arguments, **environment)

    # Fields are those of one rank, bit by bit: for methods whose groups of targets are leaves or
    # bodies those of a run without the machine of several ranks.
    common = ["--generate", "plummer", "--particles", "3000", "--targets", "300", "--verify"]
    for method in BY_TARGETS:
        written = set()
        for count in (0, 1, 2, 3):
            stem = folder / f"{method}_{count}"
            options = [*common, "--method", method, "--output", str(stem)]
            if count > 0:
                r = over(count, *options, "--remote", "let")
            elif method == "breadth":
                continue
            else:
                r = run(program, *options, "--repeat", "1", "--backend", "serial")
            check(r.returncode == 0 and "FOM bodies_per_second" in r.stdout,
                  f"{method} on {count} ranks fails", r)
            written.add(stem.with_suffix(".acc").read_bytes() +
                        stem.with_suffix(".pot").read_bytes())
        check(len(written) == 1, f"{method}: fields depend on the number of ranks", None)

    # Nodes that arrive on demand give the same fields.
    for remote, depth in (("request", "1"), ("request", "4"), ("sparse", "1"),
                          ("sparse", "4"), ("approximate", "4")):
        stem = folder / remote
        r = over(3, *common, "--method", "breadth", "--remote", remote, "--cache-depth", depth,
                 "--output", str(stem))
        check(r.returncode == 0 and "FOM bodies_per_second" in r.stdout, f"{remote} fails", r)
        check(stem.with_suffix(".acc").read_bytes() + stem.with_suffix(".pot").read_bytes() ==
              (folder / "breadth_3.acc").read_bytes() + (folder / "breadth_3.pot").read_bytes(),
              f"{remote}: fields are not those of let", None)
    for remote, what, words in (("request", "request-dropped", "asked for did not arrive"),
                                ("request", "wrong-slot", "masses_counted_once"),
                                ("sparse", "wrong-slot", "masses_counted_once"),
                                ("sparse", "pairs-dropped", "opened a node that is not here"),
                                ("stateless", "wrong-slot", "masses_counted_once")):
        r = over(3, *common, "--remote", remote, what=sabotaged, COPSE_SABOTAGE=what)
        check(r.returncode != 0 and words in r.stdout + r.stderr and "FOM" not in r.stdout,
              f"{what} is not detected", r)

    # Buckets that remember nothing repeat what is listed, or nothing with inclusion.
    out = folder / "repeats.json"
    repeating = ["--generate", "nfw", "--particles", "6000", "--verify", "--remote", "stateless",
                 "--mac", "changa", "--theta", "0.7", "--cache-depth", "1"]
    few = ["--targets", "300"]
    plain, peaks = {}, {}
    for tree, inclusion in itertools.product(("octree", "binary"),
                                             ("none", "radius", "opening", "top-down")):
        r = over(3, *repeating, *few, "--tree", tree, "--inclusion", inclusion, "--json", str(out))
        check(r.returncode == 0, f"stateless with {inclusion} fails in the {tree}", r)
        report = json.loads(out.read_text())
        found = report["results"]["methods"][0]["repeats"]
        names = {c["name"] for c in report["verification"]["checks"]}
        check({"buckets_unlike_recursion", "masses_of_repeats"} <= names, "nothing compared", r)
        # The oracle of the extra cost: the same run with --inclusion none.
        once, without = ([found[what + which] for what in ("cells_", "bodies_")]
                         for which in ("once", "plain"))
        plain.setdefault(tree, once)
        check(without == plain[tree], f"{inclusion}: not the counts of plain radii", r)
        check(once[0] >= without[0] and once[1] >= without[1], f"{inclusion} saves", r)
        # Those counts take a second tree, which is not part of the run's memory.
        peak = sum(report["memory"][f"peak_{where}_bytes"] for where in ("device", "host"))
        peaks.setdefault(tree, peak)
        check(peak < 1.2 * peaks[tree], f"{inclusion}: {peak} bytes instead of {peaks[tree]}", r)
        # Most balls of an octree are inside their parents' without it.
        if tree == "binary" and inclusion != "none":
            check(once[0] > 1.01 * without[0], f"{inclusion} costs nothing", r)
        if inclusion in ("radius", "opening"):
            check(found["cells"] == 0 == found["bodies"], f"{inclusion} repeats in the {tree}", r)
        if tree == "binary" and inclusion == "none":
            check(found["cells"] > 0 and found["largest_mass"] > 1.0001, "nothing repeats", r)
    r = over(3, *repeating, *few, "--tree", "binary", what=sabotaged,
             COPSE_SABOTAGE="repeat-not-counted")
    check(r.returncode != 0 and "buckets_unlike_recursion" in r.stderr and "FOM" not in r.stdout,
          "a repeat that is not counted is not detected", r)
    stepping = [*repeating, "--tree", "binary", "--softening", "0.01", "--method", "bucket",
                "--steps", "2", "--dt", "0.001"]
    r = over(3, *stepping, "--json", str(out))
    check(r.returncode == 0, "steps of stateless fail", r)
    of_steps = json.loads(out.read_text())["results"]["motion"]["repeats"]
    check([entry["step"] for entry in of_steps] == [0, 1, 2] and
          all(entry["cells"] > 0 for entry in of_steps), "repeats of steps are missing", r)
    # A restart counts its steps on, and limits its errors as the first run does.
    stem = folder / "stateless"
    r = over(3, *stepping, "--output", str(stem))
    check(r.returncode == 0, "steps of stateless with --output fail", r)
    r = over(3, *stepping[4:], "--restart", str(stem.with_suffix(".restart.hdf5")), "--json", str(out))
    check(r.returncode == 0, "a restart of stateless fails", r)
    report = json.loads(out.read_text())
    check([entry["step"] for entry in report["results"]["motion"]["repeats"]] == [2, 3, 4],
          "steps after a restart have wrong numbers", r)
    limit = next(c["tolerance"] for c in report["verification"]["checks"]
                 if c["name"] == "masses_of_repeats")
    check(limit is not None and 0 < limit < 0.01, f"masses_of_repeats has the limit {limit}", r)
    r = over(3, *stepping, what=sabotaged, COPSE_SABOTAGE="repeat-not-counted")
    check(r.returncode != 0 and "buckets_unlike_recursion" in r.stderr and "FOM" not in r.stdout,
          "a repeat of a step that is not counted is not detected", r)

    # Steps, and a restart with another number of ranks.
    def end_of(count, name, *options, remote="let"):
        stem = folder / name
        options = [*options, "--output", str(stem)]
        r = over(count, "--remote", remote, *options) if count > 0 else run(
            program, "--repeat", "1", "--backend", "serial", *options)
        check(r.returncode == 0, f"{name} fails", r)
        return stem.with_suffix(".restart.hdf5")

    moving = ["--softening", "0.01", "--method", "bucket", "--dt", "0.01"]
    start = ["--generate", "plummer", "--particles", "2000"]
    whole = end_of(0, "whole", *start, *moving, "--steps", "6")
    half = end_of(3, "half", *start, *moving, "--steps", "3")
    rest = end_of(2, "rest", *moving, "--steps", "3", "--restart", str(half))
    check(whole.read_bytes() == rest.read_bytes(),
          "a restart with another number of ranks is not the whole run", None)
    for remote in ("request", "sparse", "approximate"):
        asked = end_of(3, remote, *start, *moving, "--steps", "6", remote=remote)
        check(whole.read_bytes() == asked.read_bytes(), f"{remote}: steps are not those of let",
              None)

    # What is missing is an error, not a wrong field.
    for what in ("node-not-sent", "box-of-the-next"):
        r = over(3, *common, what=sabotaged, COPSE_SABOTAGE=what)
        check(r.returncode != 0 and "opened a node that is not here" in r.stderr
              and "FOM" not in r.stdout, f"{what} is not detected", r)

    # Domains by the work of the last step have more even interactions than those by number.
    def unevenness(weights):
        file = folder / f"{weights}.json"
        r = over(4, "--generate", "soneira-peebles", "--seed", "5", "--particles", "30000", "--theta",
                 "0.6", "--method", "bucket", "--bucket-size", "32", "--softening", "0.01", "--steps",
                 "4", "--dt", "0.0005", "--verify", "--weights", weights, "--json", str(file))
        check(r.returncode == 0, f"--weights {weights} fails", r)
        counted = [entry["interactions"]
                   for entry in json.loads(file.read_text())["results"]["motion"]["balance"]]
        check(len(counted) == 5, f"--weights {weights}: a step is not counted", r)
        return [c["most"] / c["mean"] for c in counted]

    work, number = unevenness("work"), unevenness("number")
    # Measured in float: first fields 1.069, then 1.026 to 1.029 by work, 1.060 to 1.080 by number.
    check(work[0] == number[0], f"first domains differ: {work[0]}, {number[0]}", None)
    check(max(work[1:]) < 1.045 < min(number[1:]), f"uneven by work {work}, by number {number}", None)

    # On one rank the default is --weights number: no run is weighed, only the last one, for the report.
    for count, weights, steps in itertools.product((1, 2), ("work", "number"),
                                                   ([], ["--steps", "1", "--dt", "0.001"])):
        r = run(mpiexec, numproc, str(count), program, "--repeat", "3", "--backend", "serial",
                "--particles", "1000", "--softening", "0.01", "--remote", "let", "--weights", weights,
                *steps, "--json", str(out))
        check(r.returncode == 0, f"--weights {weights} fails on {count} ranks", r)
        weighed, = (phase["seconds"]["samples"] for phase in json.loads(out.read_text())["phases"]
                    if phase["name"] == "copse::gravity::weigh")
        check(len(weighed) == (3 if count > 1 and weights == "work" else 1),
              f"--weights {weights} on {count} ranks weighs {len(weighed)} times", r)

    for options, words in [
            (["--method", "fmm"], "--method fmm runs on one rank"),
            (["--method", "lists"], "--method lists runs on one rank"),
            (["--method", "direct"], "--method direct runs on one rank"),
            (["--periodic"], "--periodic runs on one rank"),
            (["--count-repeats"], "--count-repeats runs on one rank"),
            (["--remote", "stateless", "--method", "breadth"], "--remote stateless is of buckets"),
            (["--remote", "stateless", "--mac", "relative"], "--remote stateless needs opening"),
            (["--remote", "stateless", "--softening-kernel", "spline", "--softening", "0.1"],
             "--remote stateless is for Plummer softening"),
            (["--active-fraction", "0.5"], "--active-fraction runs on one rank"),
            (["--dry-run"], "--dry-run is for one rank"),
            (["--cache-depth", "2"], "--cache-depth 2 is for"),
            (["--model-network", "25"], "--model-network needs --model"),
            (["--remote", "request", "--model"], "--model predicts --remote let"),
            (["--theta", "0", "--particles", "60000", "--remote-memory", "1", "--remote",
              "request"], "--remote-memory 1 MiB does not hold"),
            (["--theta", "0", "--particles", "60000", "--remote-memory", "1"],
             "--remote-memory 1 MiB does not hold")]:
        size = [] if "--particles" in options else ["--particles", "1000"]
        r = over(2, *size, *options)
        # mpiexec adds lines of its own.
        check(r.returncode == 2 and r.stderr.count(words) == 1 and "FOM" not in r.stdout,
              f"{options} is not refused", r)


if __name__ == "__main__":
    where = pathlib.Path(sys.argv[2])
    where.mkdir(parents=True, exist_ok=True)
    ranks(sys.argv[1], where, *sys.argv[3:])
