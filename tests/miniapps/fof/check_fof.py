#!/usr/bin/env python3
"""Runs the fof mini-app as a user would: correct runs pass, lost messages fail the check that is
named for them, bad input ends with a one-sentence message and exit code 2.

Usage: check_fof.py PROGRAM FOLDER sound|tree|memory|refusals
       check_fof.py PROGRAM FOLDER ranks MPIEXEC NUMPROC_FLAG
"""
import itertools
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from program_checks import check, report, run as run_program  # noqa: E402

# The check that must detect each lost or wrong message of fof_sabotaged (sabotaged_fof.cpp).
RANK_SABOTAGES = [
    ("rank-lost-ghosts", "friends_in_different_groups"),
    ("rank-lost-links", "friends_in_different_groups"),
    ("rank-mixed-ghosts", "groups_unlike_the_reference"),
    ("rank-kept-fragments", "friends_in_different_groups"),
    ("rank-lost-link", "friends_in_different_groups"),
    ("rank-added-link", "groups_unlike_the_reference"),
]
REFUSALS = [
    ["--method", "magic"],
    ["--json", "same.json", "--method", "emst-boruvka", "--dendrogram", "./same.json"],
    ["--b", "0"],
    ["--b", "-0.2"],
    ["--b", "wide"],
    ["--b", "0.2", "--linking-length", "0.1"],
    ["--linking-length", "0"],
    ["--linking-length", "1e-30"],
    ["--generate", "nfw", "--linking-length", "0.6"],
    ["--velocity-link", "0"],
    ["--velocity-link", "-1"],
    ["--periodic", "-1"],
    ["--periodic", "nan"],
    ["--periodic", "1e39"],
    ["--linking-length", "nan"],
    ["--b", "nan"],
    ["--periodic", "--isolated"],
    ["--velocity-link", "1e22", "--linking-length", "0.01"],
    ["--min-members", "0"],
    ["--method", "brute-force", "--bucket-size", "8"],
    ["--method", "emst-delaunay", "--bucket-size", "8"],
    ["--bucket-size", "70000"],
    ["--bucket-size", "64"],
    ["--max-depth", "31", "--method", "kd-tree"],
    ["--max-depth", "3"],
    ["--generate", "nfw", "--species", "dark", "--dry-run"],
    ["--input", "/does/not/exist.npy"],
    ["--output", "groups.txt"],
    ["--output", "/does/not/exist/groups.h5"],
    ["--sabotage", "lose-member"],
    ["--generate", "nothing"],
    ["--output-mst", "tree.h5"],
    ["--dendrogram", "groups.csv", "--method", "kd-tree"],
    ["--dendrogram", "groups.csv", "--method", "all"],
    ["--output-mst", "tree.txt", "--method", "emst-boruvka"],
    ["--output-mst", "/does/not/exist/tree.h5", "--method", "emst-boruvka"],
    ["--dendrogram", "groups.h5", "--method", "emst-boruvka"],
    ["--dendrogram", "/does/not/exist/groups.csv", "--method", "emst-boruvka"],
    ["--halo-fraction", "0.6"],
    ["--generate", "nfw", "--halo-fraction", "60"],
    ["--subsample", "0"],
    ["--subsample", "1001"],
]


def run(program, *arguments, sabotage=None):
    # Remove the output of an earlier run.
    for option in ("--json", "--output"):
        if option in arguments:
            pathlib.Path(arguments[arguments.index(option) + 1]).unlink(missing_ok=True)
    return run_program(program, *arguments, sabotage=sabotage)


def sound(program, folder):
    for model, extra in (("nfw", []), ("nfw", ["--isolated"]), ("nfw", ["--inclusive"]),
                         ("plummer", ["--b", "0.1"]), ("nfw", ["--velocity-link", "0.05"]),
                         ("plummer", ["--b", "0.3", "--velocity-link", "0.2"])):
        out = folder / "report.json"
        r = run(program, "--generate", model, "--particles", "4000", "--method", "all",
                "--all-backends", "--repeat", "1", "--verify", "--json", str(out), *extra)
        check(r.returncode == 0, f"{model} {extra} failed", r)
        check("FOM particles_per_second_leaf-pairs_" in r.stdout, "no figure of merit", r)
        check(report(out)["results"]["wrapped_particles"] == 0, "generated particles outside", r)
    # A sub-sample, generated or read, has the requested number of particles and its own linking
    # length.
    points = folder / "many.csv"
    points.write_text("".join(f"{k % 7 / 7} {k % 11 / 11} {k % 13 / 13}\n" for k in range(1000)))
    for source in (["--generate", "nfw", "--particles", "20000"],
                   ["--input", str(points), "--periodic", "1"]):
        r = run(program, *source, "--subsample", "700", "--method", "all", "--repeat", "1",
                "--verify", "--json", str(out))
        check(r.returncode == 0, f"a sub-sample of {source} failed", r)
        check(report(out)["input"]["particles"] == 700, "not the particles asked for", r)
        check(report(out)["parameters"]["subsample"] == 700, "no parameter of the sub-sample", r)
    # More particles than a slab holds.
    r = run(program, "--generate", "nfw", "--particles", "17000000", "--repeat", "1", "--verify")
    check(r.returncode == 0, "a large run failed", r)
    check("verified all 17000000 particles" in r.stdout, "not all particles were compared", r)
    # The catalogue in every format, with the reported number of groups.
    for suffix in ("h5", "csv", "grp", "gtp"):
        catalogue = folder / f"groups.{suffix}"
        catalogue.unlink(missing_ok=True)
        r = run(program, "--generate", "nfw", "--particles", "20000", "--velocity-link", "0.5",
                "--repeat", "1", "--min-members", "8", "--output", str(catalogue), "--json",
                str(out))
        check(r.returncode == 0 and catalogue.stat().st_size > 100, f"no {suffix}", r)
        groups = report(out)["results"]["groups"]
        check(groups > 10, "there should be groups", r)
        if suffix == "csv":
            check(len(catalogue.read_text().splitlines()) == groups + 1, "groups are missing", r)
        if suffix == "grp":
            numbers = [int(line) for line in catalogue.read_text().splitlines()]
            check(numbers[0] == 20000 and max(numbers[1:]) == groups, "groups are missing", r)
    # Neither velocities nor flat boxes affect the linking.
    flat = folder / "flat_particles.csv"
    flat.write_text("x,y,z,vx,vy,vz\n0,0,0,1,2,3\n0.01,0,0,1,2,5\n1,1,0,0,0,0\n")
    for suffix in ("csv", "h5"):
        catalogue = folder / f"flat.{suffix}"
        r = run(program, "--input", str(flat), "--linking-length", "0.05", "--min-members", "2",
                "--repeat", "1", "--output", str(catalogue))
        check(r.returncode == 0 and catalogue.exists(), f"no {suffix} of a flat box", r)
    header = (folder / "flat.csv").read_text().splitlines()[0]
    check(",vx," in header and "sigma_1d" in header, "the catalogue has no velocities", r)
    # Two particles that are friends across the face after one of them is wrapped into the box.
    points = folder / "outside.csv"
    points.write_text("0.01 0.5 0.5\n1.99 0.5 0.5\n0.5 0.25 0.125\n")
    out = folder / "wrapped.json"
    for method in ("leaf-pairs", "kd-tree", "brute-force"):
        r = run(program, "--input", str(points), "--periodic", "1", "--linking-length", "0.05",
                "--method", method, "--repeat", "1", "--verify", "--min-members", "2", "--json",
                str(out))
        check(r.returncode == 0, "wrapping failed", r)
        check(report(out)["results"]["wrapped_particles"] == 1, "not one particle was wrapped", r)
        check("1 particles were outside" in r.stdout, "wrapping is not said", r)


def tree(program, folder):
    """Every linking length at once. Oracle: for each, a run of another method with that length."""
    out = folder / "report.json"
    common = ["--generate", "nfw", "--particles", "3000", "--min-members", "5", "--repeat", "1",
              "--backend", "serial", "--verify", "--json", str(out)]
    for psi, ratio in (([], 0.0), (["--velocity-link", "0.05"], None)):
        files = {"--output-mst": folder / "tree.csv", "--dendrogram": folder / "groups.json"}
        for file in files.values():
            file.unlink(missing_ok=True)
        r = run(program, *common, "--method", "emst-boruvka", *psi,
                *[str(word) for pair in files.items() for word in pair])
        check(r.returncode == 0, "no tree", r)
        edges = files["--output-mst"].read_text().splitlines()
        check(edges[0] == "a,b,length" and len(edges) == 3000, "not the edges of a tree", r)
        check(report(out)["results"]["spanning_tree"]["edges"] == 2999, "edges not reported", r)
        curve = json.loads(files["--dendrogram"].read_text())
        check(curve["particles"] == 3000 and curve["min_members"] == 5, "no scale", r)
        check((curve["velocity_factor"] == 0) == (ratio is not None), "no velocity factor", r)
        length = report(out)["results"]["linking_length"]
        for times in (0.5, 1.0, 1.7):
            more = ["--velocity-link", str(0.05 * times)] if psi else []
            r = run(program, *common, "--linking-length", repr(length * times), *more)
            check(r.returncode == 0, "no groups to compare with", r)
            row = max(i for i, start in enumerate(curve["length"]) if start < length * times)
            check(curve["groups"][row] == report(out)["results"]["groups"],
                  f"{times} linking lengths have other groups", r)
        check(max(curve["groups"]) > 5, "there should be groups", r)
        share = curve["b"][-1] * curve["mean_separation"] / curve["length"][-1]
        check(abs(share - 1) < 1e-9, "b is not in mean separations", r)
    for suffix in ("csv", "json"):
        files = [folder / "tree.h5", folder / f"one.{suffix}"]
        points = folder / "one.csv"
        points.write_text("0.5 0.5 0.5\n")
        r = run(program, "--input", str(points), "--linking-length", "1", "--method",
                "emst-boruvka", "--verify", "--output-mst", str(files[0]), "--dendrogram",
                str(folder / f"alone.{suffix}"))
        check(r.returncode == 0 and files[0].exists(), "no tree of a single particle", r)


def memory(program, folder):
    out = folder / "memory.json"
    for method, particles, *more in (
            ("leaf-pairs", "200000"), ("leaf-pairs", "262145"), ("kd-tree", "200000"),
            ("kd-tree", "200000", "--bucket-size", "1"), ("emst-boruvka", "200000"),
            ("brute-force", "20000")):
        for velocity in ([], ["--velocity-link", "0.1"]):
            arguments = ["--generate", "nfw", "--particles", particles, "--method", method,
                         *velocity, *more]
            r = run(program, *arguments, "--dry-run", "--json", str(out))
            check(r.returncode == 0, "a dry run failed", r)
            estimated = report(out)["results"]["estimated_bytes"] / int(particles)
            r = run(program, *arguments, "--repeat", "1", "--json", str(out))
            taken = report(out)["results"]["bytes_per_particle"] + (24 if velocity else 12)
            check(0.9 * taken <= estimated <= 1.15 * taken,
                  f"{method} {velocity} {more}: {estimated} bytes a particle estimated, {taken} taken", r)


def refusals(program, folder):
    still = folder / "positions.csv"
    still.write_text("0 0 0\n1 1 1\n")
    for arguments in [*REFUSALS, ["--input", str(still), "--velocity-link", "1"],
                      ["--input", str(still), "--periodic", "--linking-length", "0.1"],
                      ["--input", str(still), "--box", "1", "--subsample", "3"]]:
        sized = "--particles" in arguments or "--input" in arguments
        r = run(program, *arguments, *([] if sized else ["--particles", "1000"]))
        check(r.returncode == 2, f"{arguments} should end with exit code 2", r)
        check(len(r.stderr.strip().splitlines()) == 1, f"{arguments}: not one sentence", r)


def ranks(program, folder, mpiexec, numproc):
    def run_on(number, *arguments):
        return run(mpiexec, numproc, str(number), program, *arguments)

    out = folder / "report.json"
    for number, particles, extra in (
            (2, 5000, ["--velocity-link", "0.05", "--method", "all", "--all-backends"]),
            (3, 5000, ["--method", "all", "--all-backends"]), (3, 5000, ["--isolated"]),
            (4, 5000, ["--subsample", "5000"]),
            (5, 3, ["--linking-length", "0.4"]), (4, 1, ["--linking-length", "0.4"])):
        generated = 4 * particles if "--subsample" in extra else particles
        r = run_on(number, "--generate", "nfw", "--particles", str(generated), "--repeat", "1",
                   "--verify", "--json", str(out), *extra)
        check(r.returncode == 0, f"{extra} failed on {number} ranks", r)
        check("FOM particles_per_second" in r.stdout, "no figure of merit", r)
        results = report(out)["results"]
        check(len(results["ranks"]) == number, "not every rank is in the report", r)
        check(sum(rank["particles"] for rank in results["ranks"]) == particles,
              "domains hold more or fewer particles than there are", r)
        steps = (number - 1).bit_length()
        check(results["merge_rounds"] == 2 * steps + 2, "not the rounds that were promised", r)
        check(set(results["bytes_sent_per_particle"]) ==
              {"domains", "ghosts", "merging", "labels"}, "bytes are missing", r)
    # Periodic faces separate domains too: one particle on either side of a face.
    points = folder / "faces.csv"
    points.write_text("0.01 0.5 0.5\n1.99 0.5 0.5\n0.5 0.25 0.125\n0.9 0.25 0.125\n")
    r = run_on(3, "--input", str(points), "--periodic", "1", "--linking-length", "0.05",
               "--repeat", "1", "--verify", "--json", str(out))
    check(r.returncode == 0, "groups across a face failed", r)
    check(report(out)["results"]["wrapped_particles"] == 1, "not one particle was wrapped", r)

    for number, (what, name) in itertools.product((2, 3, 4), RANK_SABOTAGES):
        out = folder / f"{what}.json"
        r = run(mpiexec, numproc, str(number), program + "_sabotaged", "--generate", "nfw",
                "--particles", "3000", "--repeat", "1", "--verify", "--json", str(out),
                sabotage=what)
        check(r.returncode == 1, f"sabotage {what} was not noticed on {number} ranks", r)
        check("FOM" not in r.stdout, "a figure of merit in spite of a failed check", r)
        failed = [c["name"] for c in report(out)["verification"]["checks"] if not c["passed"]]
        check(name in failed, f"{what} should fail {name}, not {failed}", r)

    # The peak includes everything: the estimate must cover most of it.
    for extra in ([], ["--velocity-link", "0.1"]):
        arguments = ["--generate", "nfw", "--particles", "400000", "--backend", "serial", *extra]
        r = run_on(2, *arguments, "--dry-run", "--json", str(out))
        check(r.returncode == 0, "a dry run failed on two ranks", r)
        estimated = report(out)["results"]["estimated_bytes"]
        r = run_on(2, *arguments, "--repeat", "1", "--json", str(out))
        taken = report(out)["memory"]["peak_host_bytes"]
        check(0.75 * taken <= estimated <= 1.25 * taken,
              f"{extra}: {estimated} bytes a rank estimated, {taken} taken", r)

    # Errors on some ranks only: the others have no particles.
    still = folder / "positions.csv"
    still.write_text("0 0 0\n1 1 1\n")
    for arguments in (["--generate", "nfw", "--particles", "2", "--bucket-size", "64",
                       "--linking-length", "0.1"],
                      ["--input", str(still), "--velocity-link", "1"],
                      ["--particles", "100", "--method", "emst-boruvka", "--dendrogram", "d.csv"],
                      ["--generate", "nfw", "--particles", "100", "--linking-length", "0.6"]):
        r = run_on(3, *arguments)
        check(r.returncode == 2, f"{arguments} should end with exit code 2", r)
        said = [line for line in r.stderr.splitlines() if line.startswith("fof:")]
        check(len(said) == 1, f"{arguments}: not one sentence", r)


if __name__ == "__main__":
    folder_ = pathlib.Path(sys.argv[2])
    folder_.mkdir(parents=True, exist_ok=True)
    {"sound": sound, "tree": tree, "memory": memory, "refusals": refusals,
     "ranks": ranks}[sys.argv[3]](sys.argv[1], folder_, *sys.argv[4:])
