"""check_demo.py DEMO ORB FOF GRAVITY COLLIDE FOLDER: the demonstration of miniapps/demo.sh, with few particles and
without data, ends well, verifies each program and draws its pictures; it stops at a program that fails, and
refuses a size that is none. Exits with 4, which ctest reports as skipped, if a package is missing."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

*command, folder = sys.argv[1:]
folder = pathlib.Path(folder)
PARTICLES = "20000"
DRAWN = {"nfw.png": b"\x89PNG", "haloes.png": b"\x89PNG", "fields.png": b"\x89PNG", "collide.gif": b"GIF8"}
VERIFIED = {"nfw": 20000, "haloes": 20000, "fields": 5000, "collide": 20}  # report: particles

# demo.sh draws with the distribution's Python, too.
python = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else "python3"
packages = subprocess.run([python, "-c", "import h5py, matplotlib, numpy, PIL"], capture_output=True, text=True,
                          check=False)
if packages.returncode != 0:
    print(packages.stderr)
    sys.exit(4)
environment = {name: value for name, value in os.environ.items() if name != "COPSE_DATA_DIR"}


def run(programs, *size):
    shutil.rmtree(folder, ignore_errors=True)
    return subprocess.run(["bash", *programs, folder, *size], capture_output=True, text=True, check=False,
                          env=environment)


done = run(command, PARTICLES)
assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
for name, begins in DRAWN.items():
    picture = (folder / name).read_bytes()
    assert picture.startswith(begins) and len(picture) > 10_000, f"{name} is no picture"
for name, particles in VERIFIED.items():
    report = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    assert report["verification"]["checks"], f"{name} verified nothing"
    assert all(check["passed"] for check in report["verification"]["checks"]), name
    assert report["input"]["particles"] == particles, f"{name}: {report['input']}"
assert "snapshot" not in done.stdout, "without data there is no snapshot"

failing = [command[0], command[1], "/bin/false", *command[3:]]
done = run(failing, PARTICLES)
assert done.returncode != 0 and not (folder / "fields.png").exists(), "went on after a failure"
for size in ("few", "100", "2e6"):
    done = run(command, size)
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1 and not folder.exists(), done.stderr
