#!/usr/bin/env python3
"""Runs the gravity mini-app with files: what it writes is what was computed, what users have is read,
and bad files are refused.

Usage: check_gravity_files.py PROGRAM FOLDER output|input
"""
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from program_checks import check, run  # noqa: E402


def output(program, folder):
    """HDF5 and Tipsy arrays hold the same numbers, which are those of a direct sum."""
    try:
        import h5py
        import numpy
    except ImportError as missing:
        print(f"SKIP: {missing}")
        return
    n, g, softening = 2000, 2.5, 0.01
    options = ["--generate", "nfw", "--particles", str(n), "--repeat", "1", "--method", "direct",
               "--G", str(g), "--softening", str(softening), "--backend", "serial"]
    for ending in (".h5", ".hdf5", ""):
        r = run(program, *options, "--output", f"{folder / 'fields'}{ending}")
        check(r.returncode == 0, f"--output with the ending '{ending}' fails", r)
    acc, pot = (numpy.loadtxt(folder / f"fields{e}") for e in (".acc", ".pot"))
    check(acc[0] == pot[0] == n and len(acc) == 3 * n + 1 and len(pot) == n + 1, "wrong arrays", r)
    with h5py.File(folder / "fields.hdf5") as file:
        datasets = {name: data[:] for name, data in file.items()}
        found = dict(file.attrs)
        check(all(d.attrs["unit"] and d.attrs["meaning"] for d in file.values()), "no units", r)
    check(set(datasets) == {"position", "mass", "acceleration", "potential"}, "wrong datasets", r)
    a, phi, x, m = (datasets[k] for k in ("acceleration", "potential", "position", "mass"))
    check((a == acc[1:].reshape(3, n).T.astype(a.dtype)).all(), "accelerations differ", r)
    check((phi == pot[1:].astype(phi.dtype)).all(), "potentials differ", r)
    wanted = {"particles": n, "method": "direct", "order": 2, "mac": "bmax",
              "softening": softening, "softening_kernel": "plummer", "G": g, "tree": "octree",
              "periodic_side": 0}
    check(all(found[k] == v for k, v in wanted.items()) and found["copse_version"]
          and found["bucket_size"] > 0, f"wrong attributes {found}", r)
    # Measured against the sum of all pairs in double: 1.0e-5 and 1.3e-6.
    x, m = x.astype(float), m.astype(float)
    d = x[None, :, :] - x[:, None, :]
    inverse = ((d * d).sum(axis=2) + softening ** 2) ** -0.5
    numpy.fill_diagonal(inverse, 0.0)
    field = g * numpy.einsum("ij,ijk->ik", m * inverse ** 3, d)
    potential = -g * inverse @ m
    length = numpy.linalg.norm
    print("errors:", (length(a - field, axis=1) / length(field, axis=1)).max(),
          abs(phi / potential - 1).max())
    check((length(a - field, axis=1) < 1e-4 * length(field, axis=1)).all()
          and (abs(phi / potential - 1) < 1e-4).all(), "fields are not those of all pairs", r)
    same = [(folder / f"fields{e}").read_bytes() for e in (".h5", ".hdf5")]
    check(same[0] == same[1], "equal fields are not equal files", r)
    softened_by_input(program, folder, h5py, numpy)
    refused_outputs(program, folder)
    pictures(folder)


def softened_by_input(program, folder, h5py, numpy):
    """Lengths of the input's own are written with the fields."""
    lengths = numpy.linspace(0.01, 0.02, 50).astype("f4")
    r = run(program, "--generate", "plummer", "--particles", "50", "--steps", "1", "--dt", "1e-6",
            "--softening", "0.015", "--repeat", "1", "--output", str(folder / "bodies"))
    check(r.returncode == 0, "a snapshot fails", r)
    snapshot = bytearray((folder / "bodies.1.std").read_bytes())
    for i, eps in enumerate(lengths):  # dark: mass, position, velocity, eps, phi
        at = 32 + 36 * i + 28
        check(abs(numpy.frombuffer(snapshot, ">f4", 1, at)[0] - 0.015) < 1e-6, "no dark bodies", r)
        snapshot[at:at + 4] = numpy.array(eps, ">f4").tobytes()
    (folder / "bodies.std").write_bytes(snapshot)
    r = run(program, "--input", str(folder / "bodies.std"), "--softening-kernel", "spline",
            "--repeat", "1", "--output", str(folder / "softened.hdf5"))
    check(r.returncode == 0, "lengths of the input fail", r)
    with h5py.File(folder / "softened.hdf5") as file:
        check((file["softening"][:] == lengths).all(), "softening lengths differ", r)


def refused_outputs(program, folder):
    """Files that cannot be written are refused before anything is computed, and leave nothing."""
    for name in ("a.acc", "b.pot", "c.restart.hdf5"):
        (folder / "taken" / name).mkdir(parents=True, exist_ok=True)
    before = sorted((folder / "taken").iterdir())
    steps = ["--steps", "2", "--dt", "0.1"]
    for stem, more in (("a", []), ("b", []), ("c", steps), ("none/d.h5", [])):
        # So many bodies that a computation would not end within the test.
        r = run(program, "--generate", "plummer", "--particles", "1e7", "--method", "direct",
                "--output", str(folder / "taken" / stem), *more)
        check(r.returncode == 2 and r.stderr.count("\n") == 1 and r.stdout == ""
              and "--output" in r.stderr, f"{stem} is not refused", r)
    check(sorted((folder / "taken").iterdir()) == before, "a refused output leaves a file", r)


def pictures(folder):
    """plot_gravity.py draws fields and refuses other files with one sentence."""
    plot = pathlib.Path(__file__).resolve().parents[3] / "perf" / "plot_gravity.py"
    picture = folder / "fields.png"
    (folder / "text.h5").write_text("no HDF5 at all")
    for file, code in (("fields.h5", 0), ("none.h5", 2), ("text.h5", 2), ("bodies.restart.hdf5", 2)):
        picture.unlink(missing_ok=True)
        r = run(sys.executable, str(plot), str(folder / file), "-o", str(picture))
        if "needs numpy, h5py and matplotlib" in r.stderr:
            print("no picture:", r.stderr)
            return
        check(r.returncode == code and r.stderr.count("\n") == (code > 0), f"picture of {file}", r)
        check(picture.exists() == (code == 0) and (code or picture.read_bytes()[:4] == b"\x89PNG"),
              f"picture of {file} is no PNG", r)


def bodies_file(folder, rows, header="x,y,z,mass"):
    path = folder / "bodies.csv"
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def spread(n, mass=lambda i: 1.0 + i % 3):
    """n bodies without order in a unit box."""
    return [[(i * 0.7548776662466927) % 1, (i * 0.5698402909980532) % 1, (i * i * 0.31) % 1, mass(i)]
            for i in range(n)]


def input_of_users(program, folder):
    """Impossible bodies are refused with one sentence; strange ones have the right fields."""
    good = spread(300)

    def changed(column, value):
        rows = [list(row) for row in good]
        rows[123][column] = value
        return rows

    for rows, header, more, about in (
            (changed(3, -1), "x,y,z,mass", [], "1 of the 300 masses"),
            (changed(3, "nan"), "x,y,z,mass", [], "mass = 'nan'"),
            (changed(0, "nan"), "x,y,z,mass", [], "x = 'nan'"),
            (changed(2, "inf"), "x,y,z,mass", [], "z = 'inf'"),
            ([row[:3] for row in good], "x,y,z", [], "no masses"),
            (good, "x,y,z,mass", ["--softening-kernel", "spline"], "no softening lengths"),
            ([], "x,y,z,mass", [], "")):
        for steps in ([], ["--steps", "1", "--dt", "0.1"]):
            r = run(program, "--input", str(bodies_file(folder, rows, header)), *more, *steps)
            check(r.returncode == 2 and r.stderr.count("\n") == 1 and about in r.stderr
                  and r.stdout == "", f"{header} {rows[123:124]} is not refused", r)

    # A binary file: mass, position, velocity, softening, potential.
    tipsy = folder / "bodies.std"
    for column, value, about in ((0, "nan", "mass = nan"), (0, "-1", "1 of the 300 masses"),
                                 (2, "nan", "y = nan"), (7, "-1", "1 of the 300 softening lengths"),
                                 (7, "nan", "= nan")):
        rows = [[mass, *x, 0, 0, 0, 0.01, 0] for *x, mass in good]
        rows[123][column] = float(value)
        tipsy.write_bytes(struct.pack(">d6i", 0, 300, 3, 0, 300, 0, 0)
                          + b"".join(struct.pack(">9f", *row) for row in rows))
        r = run(program, "--input", str(tipsy), "--softening-kernel", "spline")
        check(r.returncode == 2 and r.stderr.count("\n") == 1 and about in r.stderr
              and r.stdout == "", f"{value} in column {column} is not refused", r)

    stem = folder / "fields"

    def fields(rows, *more):
        options = ["--input", str(bodies_file(folder, rows)), "--repeat", "1", "--verify"]
        r = run(program, *options, "--method", "all", *more)
        check(r.returncode == 0, f"{len(rows)} bodies from {rows[0]} {more} fail", r)
        r = run(program, *options, "--method", more[1] if more else "direct", "--output", str(stem))
        check(r.returncode == 0, f"{len(rows)} bodies from {rows[0]} {more} fail", r)
        acc, pot = ([float(v) for v in stem.with_suffix(e).read_text().split()[1:]]
                    for e in (".acc", ".pot"))
        n = len(rows)
        return [acc[a * n:(a + 1) * n] for a in range(3)], pot

    def zero(found):
        return all(value == 0 for row in [*found[0], found[1]] for value in row)

    check(zero(fields(spread(300, lambda i: 0))), "bodies without mass attract", None)
    check(zero(fields([[0.5, 0.5, 0.5, 1]] * 50)), "coincident bodies attract each other", None)
    for options in ([], ["--softening", "0.1"]):
        r = run(program, "--input", str(bodies_file(folder, [[0.5, 0.5, 0.5, 1]] * 50)), "--repeat", "1",
                "--verify", "--method", "all", *options)
        check(r.returncode == 0, f"{options}: the direct sum differs for coincident bodies", r)
    check(zero(fields([[0.1, 0.2, 0.3, 4]])), "a body attracts itself", None)
    acc, pot = fields([[0, 0, 0, 1], [2, 0, 0, 3]])
    check(all(abs(a - b) < 1e-6 for a, b in zip(acc[0] + pot, [0.75, -0.25, -1.5, -0.5])),
          "two bodies attract wrongly", None)
    some = fields(spread(300, lambda i: i % 2))
    check(all(p < 0 for p in some[1]), "massless bodies feel nothing", None)
    # Each of 150 places twice: the same fields, and a partner adds no force.
    acc, pot = fields([row for row in spread(150) for _ in range(2)])
    check(all(acc[a][2 * i] == acc[a][2 * i + 1] for a in range(3) for i in range(150)),
          "coincident bodies have different fields", None)
    single = fields(spread(150))
    check(all(abs(p / 2 / q - 1) < 1e-5 for p, q in zip(pot[::2], single[1])),
          "coincident bodies have wrong potentials", None)


if __name__ == "__main__":
    where = pathlib.Path(sys.argv[2])
    where.mkdir(parents=True, exist_ok=True)
    {"output": output, "input": input_of_users}[sys.argv[3]](sys.argv[1], where)
