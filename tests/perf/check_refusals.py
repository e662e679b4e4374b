"""check_refusals.py PERF FOLDER: an experiment refuses what is wrong with one sentence and its code.

Stand-ins for orb: one whose verification failed, one that says nothing, one that knows no option,
one that reports without having verified.
"""

import importlib.util
import os
import shutil
import stat
import subprocess
import sys

perf, folder = sys.argv[1:]
if importlib.util.find_spec("matplotlib") is None:
    print("matplotlib is missing")
    sys.exit(4)
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)

HELP = 'case "$*" in *--help*) echo "  --backend NAME One of serial, openmp"; exit 0;; esac\n'
REPORT = """while [ $# -gt 1 ]; do [ "$1" = --json ] && file=$2; shift; done
echo '{"verification": {"requested": false, "passed": false}}' > "$file"
"""
STAND_INS = {
    "wrong": (HELP + "echo 'orb: error: verification failed: side_of_cut' >&2; exit 1\n", 2),
    "unverified": (HELP + REPORT, 2),
    "old": (HELP + "echo \"orb: error: unknown option '--count'\" >&2; exit 2\n", 4),
    "mute": ("exit 0\n", 2),
}


def expect(orb, code):
    out = os.path.join(folder, "out")
    done = subprocess.run([sys.executable, os.path.join(perf, "fig22.py"), "--orb", orb, "--out",
                           out, "--quick"], capture_output=True, text=True, check=False)
    lines = done.stderr.strip().splitlines()
    assert done.returncode == code, (orb, done.returncode, done.stderr)
    assert len(lines) == 1 and lines[0].startswith("fig22.py: "), (orb, done.stderr)
    assert not os.listdir(out), (orb, os.listdir(out))


for name, (body, code) in STAND_INS.items():
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + body)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    expect(path, code)
expect(os.path.join(folder, "none"), 2)
