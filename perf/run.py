#!/usr/bin/env python3
"""Runs experiments and keeps their results.

    perf/run.py fig26                             # perf/results/MACHINE/fig26/COMMIT.json
    perf/run.py --quick all --results /tmp/try    # every experiment on tiny inputs
    perf/run.py fig26 --dry-run                   # the commands that it would run
    perf/run.py --list                            # the experiments and their requirements

An interrupted run resumes where it stopped. Exit codes: 0; 2 for bad input, for a run that failed or is
not verified, or for a disturbed comparison with other libraries; 4 if the program or machine lacks a
requirement of the experiment.
"""

import argparse
import os
import shlex
import sys
import time

from laboratory import catalogue, document, listing, machine, provenance, rows, sizes, sweep
from laboratory.energy import Meters
from laboratory.execute import Runner
from laboratory.failures import Failed, Unsupported
from laboratory.journal import Journal
from laboratory.programs import MINI_APPS, ROOT, Programs, Roles, builds
from laboratory.progress import Progress

TRIES = 3  # of a run that other programs disturb


def options():
    parser = argparse.ArgumentParser(prog="run.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("experiments", nargs="*", metavar="EXPERIMENT", help="experiment names, or all")
    add("--list", action="store_true",
        help="list the experiments, with published values and requirements")
    add("--dry-run", action="store_true", help="print the commands of the runs, without running them")
    add("--quick", action="store_true", help="tiny inputs and one repeat; kept under build/")
    add("--backend", metavar="NAME[,NAME]", help="use only these backends of the build")
    add("--results", metavar="DIR",
        help="folder of results; default: perf/results, with --quick build/quick-results")
    add("--build", metavar="DIR", help="build folder; default: the best one under build/")
    add("--host-build", metavar="DIR", help="build that runs the host backends of a CUDA build; "
        "default: the latest without CUDA under build/")
    add("--machine", metavar="NAME", help="default: derived from the model of the GPU or CPU")
    add("--commit", metavar="C", help="commit of a build without git history; reports that name another are refused")
    add("--mpirun", metavar="COMMAND", default="mpirun", help="command that starts MPI ranks")
    add("--repeat", type=int, metavar="R", help="timed runs per point")
    add("--set", action="append", default=[], metavar="NAME=VALUE[,VALUE]",
        help="override the values of an option or axis: particles=1e6,1e7")
    add("--fresh", action="store_true", help="start from the beginning instead of resuming")
    return parser.parse_args()


def host_of(programs, chosen):
    """The programs that run the hosts' backends beside a build with CUDA; None if there are none."""
    if not any(programs.has_gpu(name) for name in MINI_APPS):
        return None
    build = chosen.host_build or next(builds(with_cuda=False), None)
    return Programs(build) if build else None


def settings_of(chosen):
    overrides = {}
    for text in chosen.set:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise Failed(f"--set {text}: expected NAME=VALUE")
        overrides[sweep.underscored(name)] = [sizes.given(v) for v in values.split(",")]
    if chosen.repeat is not None and chosen.repeat < 1:
        raise Failed("--repeat is at least 1")
    return sweep.Settings(quick=chosen.quick, repeat=chosen.repeat, overrides=overrides)


def roles_of(programs, program, wanted):
    backends = programs.backends(program)
    if wanted:
        names = wanted.split(",")
        unknown = [n for n in names if n not in backends]
        if unknown:
            raise Failed(f"--backend {','.join(unknown)}: this {program} has "
                         f"{', '.join(backends)}")
        backends = [b for b in backends if b in names]
    return Roles(backends)


def commands(points, runner):
    """The command of each point whose program is built, with the environment that the point sets."""
    found, lacking = [], None
    for point in points:
        given = {**({"OMP_NUM_THREADS": point.threads} if point.threads else {}), **point.environment}
        try:
            command = runner.told(point)
        except Unsupported as error:
            lacking = error
            continue
        found.append(" ".join([*(f"{k}={shlex.quote(str(v))}" for k, v in given.items()), command]))
    if not found:
        raise lacking
    return found


def run_one(experiment, chosen, settings, runner, folder):
    """Runs one experiment and returns the file of its result. With --dry-run it runs nothing and returns the
    commands."""
    roles = roles_of(runner.programs, experiment["program"], chosen.backend)
    points = sweep.points(experiment, roles, settings)
    if chosen.dry_run:
        return "\n".join(commands(points, runner))
    journal = Journal(os.path.join(folder, experiment.name, "unfinished.jsonl"), os.getloadavg()[0])
    if chosen.fresh:
        journal.remove()
    journal.read()
    notes = []
    progress = Progress(experiment.name, len(points))

    def note(sentence):
        if sentence not in notes:
            notes.append(sentence)
            progress.say(sentence)

    if roles.stood_in:
        note("this build has no GPU backend: "
             f"{roles.faster} stands for it and {roles.slower} for the CPU")
    finished, start = [], time.time()
    for point in points:
        outcome = run_point(experiment, chosen.quick, point, runner, journal, progress, note)
        if outcome:
            finished.append((point.values, outcome))
            if runner.programs_of(point) is runner.host:
                build = outcome["report"].get("build") or {}
                note("runs of hosts' backends are of a build without CUDA: "
                     f"{build.get('compiler')}, {build.get('flags')}")
    if not finished:
        raise Unsupported(notes[-1] if notes else "nothing could be run")
    noisy = sum(disturbed(outcome) for _, outcome in finished)
    if noisy:
        note(f"other programs disturbed {noisy} of {len(finished)} runs: threads waited for a core "
             "(`disturbed` in `runs`)")
    again = sum(outcome.get("tries", 1) > 1 for _, outcome in finished)
    if again:
        note(f"{again} of {len(finished)} runs were repeated, because other programs disturbed them")
    table = rows.collect(experiment, finished, roles, note)
    missing = len(points) - len({row["run"] for row in table})
    result = document.make(
        experiment, table, [outcome for _, outcome in finished], command=told(experiment, chosen),
        quick=chosen.quick, commit=chosen.commit, machine_name=os.path.basename(folder),
        notes=notes, started=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(start)),
        seconds=sum(outcome["wall_seconds"] for _, outcome in finished),
        resumed_points=journal.resumed, load_before=journal.load, missing=missing, overrides=settings.overrides,
        cores=settings.cores, gpus=settings.gpus, energy=runner.meters.describe())
    path = os.path.join(folder, experiment.name, document.file_name(result["commit"]))
    document.write(path, result)
    journal.remove()
    why = provenance.reasons(result)
    if why and not chosen.quick:
        progress.say(f"the result is provisional: {'; '.join(why)}")
    progress.done()
    return path


def told(experiment, chosen):
    """The command that runs this experiment again, without the file locations of this machine and
    without the commit of its build."""
    words = ["perf/run.py", experiment.name]
    for name in ("quick", "backend", "repeat"):
        value = getattr(chosen, name)
        if value:
            words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    if chosen.mpirun != "mpirun":
        words += ["--mpirun", chosen.mpirun]
    for text in chosen.set:
        words += ["--set", text]
    return shlex.join(words)


def refuse_disturbed(experiment, quick, outcome):
    """A comparison with other libraries needs runs that other programs did not disturb. The refused
    point is not kept, so the next call measures it again."""
    if experiment["needs"].get("undisturbed") and not quick and disturbed(outcome):
        raise Failed(f"other programs disturbed {outcome['command']}: threads waited for a core; the "
                     "same command goes on from here when the machine is quiet")


def disturbed(outcome):
    return bool(outcome["report"].get("run", {}).get("disturbed"))


def measured(runner, point, quick):
    """The outcome of a point and its `tries`. A disturbed run is repeated, up to `TRIES` runs in all."""
    for tries in range(1, TRIES + 1):
        outcome = runner.run(point)
        if quick or not disturbed(outcome):
            break
    return {**outcome, "tries": tries}


def run_point(experiment, quick, point, runner, journal, progress, note):
    """The outcome of a point, from an earlier run or a new one; None if the program lacks it."""
    try:
        identity = runner.identity(point)
        outcome = journal.find(identity)
        if outcome:
            progress.point(None)
            return outcome
        progress.begin(point.label)
        outcome = measured(runner, point, quick)
        refuse_disturbed(experiment, quick, outcome)
    except Unsupported as error:
        note(str(error))
        progress.point(None)
        return None
    journal.add(identity, outcome)
    progress.point(outcome["wall_seconds"])
    return outcome


def main():
    chosen = options()
    try:
        settings = settings_of(chosen)
        if chosen.list:
            listing.show(chosen.experiments or catalogue.names(),
                         chosen.results or os.path.join(ROOT, "perf", "results"))
            return 0
        if not chosen.experiments:
            raise Failed("name an experiment, or all; --list prints their names")
        wanted = catalogue.names() if chosen.experiments == ["all"] else chosen.experiments
        experiments = [catalogue.load(name) for name in wanted]
        programs = Programs(chosen.build)
        meters = None if chosen.dry_run else Meters()
        runner = Runner(programs, meters, chosen.mpirun, host_of(programs, chosen), chosen.quick)
        results = chosen.results or os.path.join(
            ROOT, *(("build", "quick-results") if chosen.quick else ("perf", "results")))
        folder = os.path.join(results, chosen.machine or machine.name())
    except (Failed, OSError) as error:
        print(f"run.py: error: {error}", file=sys.stderr)
        return 2
    try:
        return run_all(experiments, chosen, settings, runner, folder)
    finally:
        if meters:
            meters.stop()


def run_all(experiments, chosen, settings, runner, folder):
    """Runs the experiments one after the other and returns the exit code."""
    code = 0
    for experiment in experiments:
        try:
            print(run_one(experiment, chosen, settings, runner, folder), flush=True)
        except Unsupported as error:
            print(f"run.py: {experiment.name} is left out: {error}", file=sys.stderr)
            code = code or (0 if chosen.experiments == ["all"] else 4)
        except (Failed, OSError) as error:
            print(f"run.py: {experiment.name}: error: {error}", file=sys.stderr)
            code = 2
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\nrun.py: interrupted; the same command goes on from here", file=sys.stderr)
        sys.exit(130)
