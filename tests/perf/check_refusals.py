"""check_refusals.py PERF FOLDER: the runner rejects errors with one sentence and the right exit code.

Stand-ins for orb: one whose verification failed, one without output, one that knows no option,
one that reports without verification, one that was disturbed by other programs.
"""

import os
import shutil
import stat
import subprocess
import sys

perf, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)

HELP = """case "$*" in *--help*)
  printf "Options:\\n  --backend NAME One of serial, openmp"; exit 0;; esac
"""
REPORT = """while [ $# -gt 1 ]; do [ "$1" = --json ] && file=$2; shift; done
echo '{"verification": {"requested": false, "passed": false}}' > "$file"
"""
STAND_INS = {
    "wrong": (HELP + "echo 'orb: error: verification failed: side_of_cut' >&2; exit 1\n", 2),
    "unverified": (HELP + REPORT, 2),
    "silent": (HELP + "exit 0\n", 2),
    "mute": ("exit 0\n", 2),
}


def run(*options, **environment):
    done = subprocess.run([sys.executable, os.path.join(perf, "run.py"), "--quick", "--machine",
                           "here", "--results", os.path.join(folder, "out"), *options],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})
    return done.returncode, done.stderr.strip().splitlines()


def expect(code, *options):
    found, lines = run(*options)
    assert found == code, (options, found, lines)
    assert len(lines) == 1 and lines[0].startswith("run.py: "), (options, lines)
    assert not os.path.exists(os.path.join(folder, "out")), options
    return lines[0]


def stand_in(name, body, program="orb"):
    path = os.path.join(folder, name, program)
    os.makedirs(os.path.dirname(path))
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + body)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return os.path.dirname(path)


for name, (body, code) in STAND_INS.items():
    expect(code, "fig22", "--build", stand_in(name, body))
wrong = os.path.join(folder, "wrong")
# A disturbed run is repeated, at most twice; quick runs are not.
sys.path.insert(0, perf)
from run import measured  # noqa: E402


class Machine:
    """Runs whose outcomes are given."""

    def __init__(self, *disturbed):
        self.left = [{"report": {"run": {"disturbed": one}}} for one in disturbed]

    def run(self, _point):
        return self.left.pop(0)


for quick, quiet, tries in ((False, [False], 1), (False, [True, False, False], 2), (False, [True, True, None], 3),
                            (False, [True, True, True, False], 3), (True, [True, False], 1)):
    found = measured(Machine(*quiet), None, quick)
    assert found["tries"] == tries and found["report"]["run"]["disturbed"] is quiet[tries - 1], (quiet, found)
# A comparison with other libraries refuses the third disturbed run and keeps nothing of it.
disturbed = stand_in("disturbed", HELP + REPORT.replace('"requested": false, "passed": false}',
                                                        '"requested": true, "passed": true}, '
                                                        '"run": {"disturbed": true}'))
out = os.path.join(folder, "loud")
done = subprocess.run([sys.executable, os.path.join(perf, "run.py"), "peers", "--machine", "here",
                       "--results", out, "--build", disturbed, "--set", "cores=1"],
                      capture_output=True, text=True, check=False)
assert done.returncode == 2 and "other programs disturbed orb " in done.stderr, done.stderr
assert len(done.stderr.strip().splitlines()) == 1 and not os.path.exists(out), done.stderr
# Unsupported cases are omitted with a note; if nothing remains, the exit code shows it.
old = stand_in("old", HELP + "echo \"orb: error: unknown option '--count'\" >&2; exit 2\n")
code, lines = run("fig22", "--build", old)
assert code == 4 and "unknown option" in lines[-1], (code, lines)
# So is a script whose Python lacks what it needs: here a numpy that cannot be imported.
hidden = os.path.join(folder, "hidden")
os.makedirs(hidden)
with open(os.path.join(hidden, "numpy.py"), "w", encoding="utf-8") as file:
    file.write("raise ImportError('hidden', name='numpy')\n")
code, lines = run("groups", "--build", stand_in("script", HELP, "fof"), PYTHONPATH=hidden)
assert code == 4 and "numpy is needed, which this Python lacks" in lines[0], (code, lines)
assert "peer_groups is not built" in lines[1], lines
os.makedirs(os.path.join(folder, "empty"))
assert "is not built" in expect(4, "fig22", "--build", os.path.join(folder, "empty"))
assert "no such folder" in expect(2, "fig22", "--build", os.path.join(folder, "none"))
assert "fig26" in expect(2, "fig99", "--build", wrong)
assert "NAME=VALUE" in expect(2, "fig22", "--build", wrong, "--set", "leaves")
assert "no such option" in expect(2, "fig22", "--build", wrong, "--set", "petals=3")
assert "cuda" in expect(2, "fig22", "--build", wrong, "--backend", "cuda")
assert "at least 1" in expect(2, "fig22", "--build", wrong, "--repeat", "0")
expect(2)
