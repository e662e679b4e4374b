#!/usr/bin/env python3
"""Runs the collide mini-app as a user would: sound runs pass, files hold what was computed, restarts continue bit by
bit, bad input ends with one sentence and exit code 2.

Usage: check_collide.py PROGRAM FOLDER sound|output|restart|refusals|pictures
"""
import itertools
import json
import math
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from program_checks import backends, check, refused, run  # noqa: E402

COURSE = ["--generate", "cs267", "--seed", "1", "--particles", "1000"]
GAS = ["--generate", "gas", "--particles", "400"]
REFUSALS = [
    ["--dt", "0"], ["--dt=-1"], ["--dt", "nan"], ["--dt", "inf"],
    ["--cutoff", "0"], ["--cutoff=-1"], ["--cutoff", "nan"],
    ["--density", "0"], ["--density=-1"], ["--density", "nan"], ["--density", "inf"],
    ["--temperature=-1", "--generate", "gas"], ["--temperature", "nan"],
    ["--radius-spread", "0.5"], ["--radius-spread", "nan"], ["--radius-spread", "1e4"],
    ["--cell-side", "0"], ["--cell-side", "nan"], ["--skin=-1"], ["--skin", "nan"],
    ["--steps", "0"], ["--steps", "1e18"], ["--dimensions", "4"], ["--dimensions", "1"],
    ["--particles", "0"], ["--particles", "3e9"],
    ["--periodic", "--particles", "1", "--density", "1"], ["--periodic", "--particles", "10", "--density", "10"],
    ["--method", "magic"], ["--force", "none"], ["--integrator", "rk4"], ["--summation", "none"],
    ["--generate", "nothing"], ["--input", "/does/not/exist.csv"], ["--subsample", "10"],
    ["--force", "lennard-jones", "--dimensions", "3", "--generate", "cs267"],
    ["--save-every", "1e18"], ["--output", "x.xyz"], ["--output", "noending"],
    ["--output", "/does/not/exist/x.out"], ["--output", "/dev/null"],
    ["--temperature", "1"], ["--generate", "plummer", "--density", "1"], ["--method", "brute-force", "--skin", "0.1"],
    ["--method", "strips", "--cell-side", "2"], ["--method", "cells", "--regions", "2"],
    ["--method", "cells", "--slots-variant", "migrate"],
    ["--radial-range=-1"], ["--radial-range", "nan"],
    ["--radial-range", "1e3", "--particles", "100"],
    ["--restart", "/does/not/exist.hdf5"], ["--restart", "x", "--particles", "100"],
    ["--restart", "x", "--density", "1"], ["--restart", "x", "--input", "y"],
]


def listed_methods(program):
    return [line.split()[0] for line in run(program, "--list").stdout.splitlines()
            if line.startswith("  ")]


def sound(program, folder):
    """Every method passes --verify and reports the same contacts; what the report derives adds up."""
    out = folder / "report.json"
    names = listed_methods(program)
    check("brute-force" in names and "cells" in names, "--list lacks a method")
    readme = pathlib.Path(__file__).resolve().parents[3] / "miniapps" / "collide" / "README.md"
    check(all(f"\n| `{name}` |" in readme.read_text() for name in names), "the README lacks a method")
    scenarios = [
        [*COURSE, "--steps", "30"],
        [*GAS, "--steps", "20", "--periodic", "--density", "1.5"],
        [*GAS, "--steps", "20", "--force", "soft-sphere", "--density", "1", "--integrator", "leapfrog"],
        [*GAS, "--steps", "10", "--dimensions", "3", "--force", "lennard-jones", "--periodic"],
        [*GAS, "--steps", "20", "--radius-spread", "3", "--density", "0.1"],
        [*GAS, "--steps", "20", "--summation", "any", "--density", "2"],
        ["--generate", "uniform", "--particles", "500", "--cutoff", "0.02", "--steps", "5"],
        [*GAS[:3], "1", "--steps", "5"],
    ]
    for scenario in scenarios:
        dimensions = 3 if "3" == dict(itertools.pairwise(scenario)).get("--dimensions") else 2
        contacts = set()
        for backend in backends(program):
            r = run(program, *scenario, "--method", "all", "--backend", backend, "--repeat", "1",
                    "--verify", "--json", str(out))
            check(r.returncode == 0 and "FOM particle_steps_per_second " in r.stdout
                  and "FOM microseconds_per_step " in r.stdout, f"{scenario} fails on {backend}", r)
            found = json.loads(out.read_text())["results"]["methods"]
            check(len(found) > 1 and {m["method"] for m in found} <= set(names), "methods differ", r)
            for m in found:
                steps = [x["step"] for x in m["records"]]
                check(steps == list(range(len(steps))) and m["compared_steps"] == len(steps),
                      f"a step of {m['method']} is missing", r)
                contacts.add(tuple((x["contacts"], x["fingerprint"]) for x in m["records"]))
                for x in m["records"]:
                    t = 2 * x["kinetic"] / dimensions / m["particles"]
                    check(math.isclose(x["energy"], x["kinetic"] + x["potential"], rel_tol=1e-12)
                          and math.isclose(x["temperature"], t, rel_tol=1e-12),
                          "energies do not add up", r)
        # Sums in any order drift apart.
        check(len(contacts) == 1 or "any" in scenario, f"methods or backends of {scenario} have other contacts")

    # An ideal gas: p V = N T. With contacts that repel, the pressure is higher.
    for cutoff, ideal in (("1e-6", True), ("0.02", False)):
        r = run(program, "--generate", "uniform", "--particles", "500", "--cutoff", cutoff,
                "--steps", "1", "--repeat", "1", "--json", str(out))
        check(r.returncode == 0, "a uniform start fails", r)
        first = json.loads(out.read_text())["results"]["methods"][0]["records"][0]
        volume = 1.0
        check((abs(first["pressure"] * volume - 500 * first["temperature"]) < 1e-9) == ideal,
              f"the pressure is not that of the gas: {first}", r)

    # g(r) of a dense gas: nothing well inside of contacts, 1 far away.
    r = run(program, "--generate", "gas", "--particles", "3000", "--density", "0.8", "--steps", "100",
            "--force", "soft-sphere", "--periodic", "--radial-range", "6", "--repeat", "1", "--json",
            str(out))
    g = json.loads(out.read_text())["results"]["radial_distribution"]
    check(r.returncode == 0 and len(g["g"]) == 40 and g["g"][0] == 0 and max(g["g"]) > 1.3
          and all(abs(x - 1) < 0.1 for x in g["g"][-10:]), f"g(r) is wrong: {g}", r)

    r = run(program, "--particles", "1000", "--dry-run")
    check(r.returncode == 0 and "B in the memory" in r.stdout, "--dry-run says no size", r)
    r = run(program, *GAS[:3], "20000", "--steps", "2", "--repeat", "1", "--json", str(out))
    peak = json.loads(out.read_text())["memory"]["peak_host_bytes"]
    r = run(program, *GAS[:3], "20000", "--dry-run", "--json", str(out))
    estimate = json.loads(out.read_text())["results"]["estimated_bytes"]
    check(0.5 < estimate / peak < 2, f"the estimate {estimate} is not near the peak {peak}", r)
    r = run(program, *GAS, "--steps", "2", "--repeat", "1", "--quiet")
    check(r.returncode == 0 and r.stdout.startswith("FOM "), "--quiet is not quiet", r)


def output(program, folder):
    """The published file is reproduced line by line; HDF5 frames are those of the text."""
    few = [*COURSE, "--steps", "35", "--save-every", "10", "--repeat", "1", "--method", "cells"]
    for backend in backends(program):
        r = run(program, *few, "--backend", backend, "--output", str(folder / "x.out"))
        check(r.returncode == 0, f"--output fails on {backend}", r)
        lines = (folder / "x.out").read_text().split("\n")
        check(lines[0] == "1000 0.707107" and len(lines) == 2 + 4 * 1001, "no four frames", r)
    frames(program, folder, few, lines)

    # Frames do not depend on how often a run is recorded, nor on the method.
    many = ["--generate", "gas", "--particles", "20", "--steps", "10100", "--save-every", "100",
            "--integrator", "leapfrog", "--periodic", "--density", "1", "--repeat", "1",
            "--backend", "serial"]
    r = run(program, *many, "--output", str(folder / "seldom.txt"), "--json", str(folder / "seldom.json"))
    check(r.returncode == 0, "many steps fail", r)
    records = json.loads((folder / "seldom.json").read_text())["results"]["methods"][0]["records"]
    check([x["step"] for x in records] == [0, *range(1, 10100, 100), 10100],
          "a run of many steps records others than its frames and its end", r)
    many[5] = "10000"
    r = run(program, *many, "--method", "brute-force", "--output", str(folder / "always.txt"))
    check(r.returncode == 0, "many steps fail", r)
    texts = [(folder / name).read_text() for name in ("seldom.txt", "always.txt")]
    check(texts[0].startswith(texts[1]) and len(texts[1]) > 100 * 20 * 3, "recording changes a run", r)

    # Without --save-every, the last state alone.
    r = run(program, *COURSE, "--steps", "31", "--repeat", "1", "--output", str(folder / "last.out"))
    check((folder / "last.out").read_text().split("\n")[1:] == [*lines[1 + 3 * 1001:]],
          "the last state is not that of the last frame", r)
    refused_outputs(program, folder)

    data = os.environ.get("COPSE_DATA_DIR")
    published = pathlib.Path(data or "/nowhere") / "cs267" / "verf.out"
    if not published.is_file():
        print("SKIP: COPSE_DATA_DIR has no cs267/verf.out")
        return
    for backend in backends(program):
        r = run(program, *COURSE, "--steps", "1000", "--save-every", "10", "--repeat", "1",
                "--backend", backend, "--output", str(folder / "verf.out"))
        check(r.returncode == 0, "the course's run fails", r)
        check((folder / "verf.out").read_bytes() == published.read_bytes(),
              f"the frames of {backend} are not those of the published file", r)


def frames(program, folder, options, lines):
    try:
        import h5py
    except ImportError as missing:
        print(f"no HDF5: {missing}")
        return
    r = run(program, *options, "--output", str(folder / "x.h5"))
    check(r.returncode == 0, "HDF5 output fails", r)
    with h5py.File(folder / "x.h5") as file:
        wanted = {"particles": 1000, "dimensions": 2, "frames": 4, "periodic": 0, "force": "cs267",
                  "cutoff": 0.01, "mass": 0.01, "dt": 0.0005, "integrator": "euler", "method": "cells"}
        found = dict(file.attrs)
        check(all(found[k] == v for k, v in wanted.items()) and abs(found["side"][0] - 0.5 ** 0.5) < 1e-15
              and len(found["side"]) == 2 and not found["origin"].any(), f"wrong attributes {found}", r)
        check(sorted(file["frame"]) == [f"{k:07}" for k in range(4)], "wrong frames", r)
        for number, frame in enumerate(file["frame"].values()):
            check(frame.attrs["step"] == 1 + 10 * number
                  and abs(frame.attrs["time"] - 0.0005 * frame.attrs["step"]) < 1e-15, "wrong step", r)
            text = lines[1 + 1001 * number:1001 * (number + 1)]
            check([f"{x:g} {y:g}" for x, y in frame["position"][:]] == text, "frames differ", r)
            check(frame["velocity"].shape == (1000, 2) and abs(frame["velocity"][:]).max() < 3,
                  "wrong velocities", r)
    # Sizes, and velocities of the leapfrog at the time of the positions: energies as reported.
    out = folder / "report.json"
    r = run(program, *GAS, "--dimensions", "3", "--radius-spread", "2", "--steps", "5", "--repeat", "1",
            "--integrator", "leapfrog", "--density", "1", "--save-every", "2", "--output",
            str(folder / "sizes.hdf5"), "--json", str(out))
    check(r.returncode == 0, "frames of sizes fail", r)
    records = json.loads(out.read_text())["results"]["methods"][0]["records"]
    with h5py.File(folder / "sizes.hdf5") as file:
        size = file["size"][:]
        check(size.min() >= 1 and size.max() <= 2 and size.std() > 0.1, "wrong sizes", r)
        for frame in file["frame"].values():
            kinetic = 0.5 * file.attrs["mass"] * (frame["velocity"][:] ** 2).sum()
            check(math.isclose(kinetic, records[frame.attrs["step"]]["kinetic"], rel_tol=1e-12),
                  "velocities are not those of the report", r)


def refused_outputs(program, folder):
    """Files that cannot be written are refused before anything is computed; failed runs leave no file."""
    taken = folder / "taken"
    for name in ("a.out", "b.h5.restart.hdf5"):
        (taken / name).mkdir(parents=True, exist_ok=True)
    before = sorted(taken.iterdir())
    for name in ("a.out", "b.h5", "none/c.h5"):
        # So many particles that a run would not end within the test.
        r = run(program, "--particles", "1e6", "--method", "brute-force", "--output", str(taken / name))
        check(refused(r, "--output"), f"{name} is not refused", r)
    r = run(program, *COURSE, "--dt", "1e300", "--output", str(taken / "lost.h5"))
    check(r.returncode == 2, "infinite positions are not refused", r)
    check(sorted(taken.iterdir()) == before, "a failed run leaves a file")


def restart(program, folder):
    """Twenty steps are seven, a restart and thirteen more, byte by byte, also with another method."""
    out = folder / "report.json"
    for scenario in ([*COURSE], [*GAS, "--periodic", "--density", "2"],
                     [*GAS, "--integrator", "leapfrog", "--force", "soft-sphere", "--density", "1"],
                     [*GAS, "--dimensions", "3", "--radius-spread", "2", "--periodic"]):
        model = scenario[6 if scenario[1] == "cs267" else 4:]
        if "--density" in model:
            at = model.index("--density")
            model = model[:at] + model[at + 2:]
        for backend in backends(program):
            common = ["--save-every", "5", "--repeat", "1", "--backend", backend]
            for ending in (".out", ".h5"):
                files = [folder / f"{name}{ending}" for name in ("whole", "first", "second")]
                r = run(program, *scenario, *common, "--steps", "20", "--output", str(files[0]))
                check(r.returncode == 0, f"{scenario} fails", r)
                r = run(program, *scenario, *common, "--steps", "7", "--output", str(files[1]))
                check(r.returncode == 0, f"{scenario} fails", r)
                begun = f"{files[1]}.restart.hdf5"
                r = run(program, "--restart", begun, *model, *common, "--steps", "13", "--verify",
                        "--output", str(files[2]), "--json", str(out), "--method", "brute-force")
                check(r.returncode == 0, f"the restart of {scenario} fails", r)
                report = json.loads(out.read_text())
                check(report["input"]["source"] == begun, "the restart's report has no input", r)
                records = report["results"]["methods"][0]["records"]
                check([x["step"] for x in records] == list(range(7, 21)), "steps are not continued", r)
                ends = [pathlib.Path(f"{file}.restart.hdf5").read_bytes() for file in (files[0], files[2])]
                check(ends[0] == ends[1] and ends[0], f"the restart of {scenario} has other bits", r)
                if ending == ".out":
                    whole, first, second = (file.read_text().split("\n", 1)[1] for file in files)
                    check(whole == first + second, f"frames of {scenario} are not continued", r)
    for more, about in (([*model, "--dt", "0.001"], "dt 0.001"), ([*model, "--cutoff", "0.02"], "cutoff 0.02"),
                        ([*model, "--force", "soft-sphere"], "force soft-sphere"), ([], "dimensions 3"),
                        (["--dimensions", "3"], "periodic false"),
                        (["--dimensions", "3", "--periodic"], "radius-spread 1"),
                        ([*model, "--integrator", "leapfrog"], "integrator leapfrog"),
                        ([*model, "--summation", "any"], "summation any")):
        r = run(program, "--restart", begun, *more)
        check(refused(r, "was written by a run", about), f"a restart with {more} is not refused", r)
    whole = pathlib.Path(begun).read_bytes()
    damaged = folder / "damaged.hdf5"
    for length in (0, 100, 5000, len(whole) // 2, len(whole) - 1):
        damaged.write_bytes(whole[:length])
        r = run(program, "--restart", str(damaged), *model)
        check(refused(r, "damaged.hdf5"), f"a restart of {length} bytes is not refused", r)
    r = run(program, "--restart", str(files[0]), *model)
    check(refused(r, "whole.h5"), "a trajectory is taken for a restart", r)


def refusals(program, folder):
    for arguments in REFUSALS:
        r = run(program, *arguments)
        check(refused(r), f"{arguments} is not refused with one sentence", r)
    names, everywhere = listed_methods(program), backends(program)
    # A method that the backend does not run, or that takes no sizes, is refused; all others run.
    for name, backend in itertools.product(names, everywhere):
        r = run(program, *GAS, "--steps", "2", "--repeat", "1", "--backend", backend, "--method", name)
        check(r.returncode == 0 or refused(r, f"--method {name} does not run on --backend {backend}"),
              f"{name} on {backend} neither runs nor is refused", r)
        runs = r.returncode == 0
        r = run(program, *GAS, "--steps", "2", "--repeat", "1", "--backend", backend, "--method", name,
                "--radius-spread", "2")
        check(r.returncode == 0 or not runs or refused(r, f"--method {name} is for particles of one size"),
              f"{name} on {backend} neither takes sizes nor refuses them", r)
    # A particle at no finite place is named with its step, also if steps are not recorded.
    for more in ([], ["--integrator", "leapfrog"], ["--dimensions", "3"], ["--periodic"]):
        for backend in everywhere:
            r = run(program, *COURSE, "--dt", "1e308", "--steps", "3", "--backend", backend, *more)
            check(refused(r, "particle ", "after step 1:", "--dt"), f"{more}: infinity is not refused", r)
    bodies = folder / "fast.csv"
    # Particle 3 meets particle 2 after ten steps; both are thrown out of all numbers in the next one.
    bodies.write_text("x,y,z,vx,vy,vz\n0,0,0,0,0,0\n1,1,1,0,0,0\n0.5,0.5,0.5,0,0,0\n0.4,0.5,0.5,0.0001,0,0\n")
    for steps, method in itertools.product(("20", "20000"), ("brute-force", "cells")):
        r = run(program, "--input", str(bodies), "--cutoff", "1e-6", "--dt", "100", "--steps", steps,
                "--method", method, "--backend", "serial")
        check(refused(r, "particle 2 is at no finite place after step 11", "--dt"), f"{steps}: not refused", r)
    for name in names:
        r = run(program, *GAS, "--periodic", "--dt", "1e12", "--steps", "20000", "--backend", "serial", "--method", name)
        check(refused(r, "is at no finite place") or refused(r, f"--method {name} does not run on"),
              f"{name}: NaN in a periodic region is not refused", r)
    for option in ("--temperature", "--density"):
        r = run(program, "--input", str(bodies), "--cutoff", "1e-6", "--steps", "1", option, "1")
        check(refused(r, f"{option} is for --generate"), f"{option} of an input is not refused", r)
    bodies.write_text("x,y,z\n0.5,nan,0.5\n")
    check(refused(run(program, "--input", str(bodies))), "NaN of the input is not refused")
    bodies.write_text("x,y,z\n0.5,0.1,0.5\n0.5,0.2,0.5\n")
    check(refused(run(program, "--input", str(bodies)), "extent"), "a region without extent is not refused")


def pictures(program, folder):
    """plot_collide.py draws pictures and films of all formats and refuses other files with one sentence."""
    plot = pathlib.Path(__file__).resolve().parents[3] / "perf" / "plot_collide.py"
    for name, more in (("x.out", []), ("x.h5", ["--periodic"]),
                       ("deep.h5", ["--dimensions", "3", "--radius-spread", "2"])):
        r = run(program, *GAS, "--steps", "30", "--save-every", "10", "--repeat", "1", "--output",
                str(folder / name), *more)
        check(r.returncode == 0, "a run fails", r)
    (folder / "text.h5").write_text("no HDF5 at all")
    (folder / "cut.out").write_text("3 1.0\n0.1 0.2\n0.3 0.4\n")
    (folder / "words.out").write_text("2 1.0\n0.1 0.2\nhere there\n\n")
    magic = {".png": b"\x89PNG", ".gif": b"GIF8", ".mp4": b"ftyp"}
    for source, picture, code, more in (
            ("x.out", "x.png", 0, []), ("x.h5", "y.png", 0, []), ("x.h5", "z.png", 0, ["--colour", "contact"]),
            ("deep.h5", "deep.png", 0, []), ("x.h5", "x.gif", 0, []), ("x.out", "text.gif", 0, []),
            ("x.h5", "n.png", 2, ["--fps", "0"]), ("x.out", "n.png", 2, ["--colour", "speed"]),
            ("none.h5", "n.png", 2, []), ("text.h5", "n.png", 2, []), ("cut.out", "n.png", 2, []),
            ("words.out", "n.png", 2, []), ("x.h5.restart.hdf5", "n.png", 2, []),
            ("x.h5", "n.xyz", 2, []), ("x.h5", "none/n.png", 2, []),
            ("x.h5", "x.mp4", 0 if shutil.which("ffmpeg") else 2, [])):
        target = folder / picture
        target.unlink(missing_ok=True)
        r = run(sys.executable, str(plot), str(folder / source), "-o", str(target), "--size", "300", *more)
        if "needs numpy, h5py, matplotlib and Pillow" in r.stderr:
            print("SKIP:", r.stderr)
            return
        check(r.returncode == code and r.stderr.count("\n") == (code > 0), f"{picture} of {source}", r)
        check(target.exists() == (code == 0)
              and (code or magic[target.suffix] in target.read_bytes()[:8]), f"{picture} is no picture", r)
    check(not list(folder.glob("*partial*")), "a failed picture leaves a file")


if __name__ == "__main__":
    where = pathlib.Path(sys.argv[2])
    where.mkdir(parents=True, exist_ok=True)
    parts = (sound, output, restart, refusals, pictures)
    {part.__name__: part for part in parts}[sys.argv[3]](sys.argv[1], where)
