"""check_sanitize.py PERF FOLDER: the script of compute-sanitizer with stand-ins for the tool and the programs."""

import os
import re
import shutil
import subprocess
import sys

perf, folder = sys.argv[1:]
sys.path.insert(0, perf)
sys.dont_write_bytecode = True
from sanitize import RUNS  # noqa: E402

shutil.rmtree(folder, ignore_errors=True)
tools, build = os.path.join(folder, "tools"), os.path.join(folder, "build", "bin")
os.makedirs(tools)
os.makedirs(build)


def script(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)


def sanitize(*arguments, path=tools):
    done = subprocess.run(
        [sys.executable, os.path.join(perf, "sanitize.py"), "--build", os.path.dirname(build), *arguments,
         "--out", os.path.join(folder, "log")], capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": f"{path}:/usr/bin:/bin"})
    return done.returncode, done.stderr, done.stdout


for name in ("orb", "fof", "traversal", "gravity", "collide"):
    script(os.path.join(build, name), "printf 'x 0.1 commit abc\\n  --backend NAME One of serial, openmp, cuda\\n'\n")
script(os.path.join(tools, "mpirun"), 'shift 2\nexec "$@"\n')
# Without the tool; with a clean one; with one that finds an error in racecheck; with one that says nothing.
assert not shutil.which("compute-sanitizer", path=f"{tools}:/usr/bin:/bin")
code, error, _ = sanitize()
assert code == 4 and "compute-sanitizer" in error, (code, error)
tool = os.path.join(tools, "compute-sanitizer")
script(tool, "echo '========= ERROR SUMMARY: 0 errors'\n")
code, error, said = sanitize()
assert code == 0 and "clean  racecheck  errors 0  exit 0  gravity" in said, (code, error, said)
with open(os.path.join(folder, "log"), encoding="utf-8") as file:
    log = file.read()
assert f"0 of {2 * len(RUNS)} runs failed" in log and "abc" in log.splitlines()[0], log
script(tool, '[ "$2" = racecheck ] && echo "========= RACECHECK SUMMARY: 2 hazards displayed (1 errors, 1 warnings)"\n'
       "echo '========= ERROR SUMMARY: 0 errors'\n")
code, _, said = sanitize("--only", "orb")
assert code == 1 and said.count("FAILED  racecheck") == said.count("clean  memcheck") == 12, said
# A run with files gets them in a folder that exists.
script(tool, """for word; do case $word in */species.tipsy) [ "$(wc -c < "$word")" = 200032 ] || exit 3 ;; esac; done
echo '========= ERROR SUMMARY: 0 errors'
""")
code, _, said = sanitize("--only", "fof", "--tools", "memcheck")
assert code == 0 and "FOLDER/species.tipsy" in said, said
script(tool, "exit 0\n")
assert sanitize("--only", "fof", "--tools", "memcheck")[0] == 1, "a tool without a summary passes"
assert sanitize("--tools", "guess")[0] == 2 and sanitize("--only", "none")[0] == 2

# The committed logs have no error: one of the first runs, whose number the page gives, and one of all runs of collide,
# over ranks without racecheck.
with open(os.path.join(perf, "README.md"), encoding="utf-8") as file:
    page = " ".join(file.read().split())
for what in ("h200", "h200-collide"):
    with open(os.path.join(perf, "results", "sanitizer", f"{what}.log"), encoding="utf-8") as file:
        log = file.read()
    for name in ("memcheck", "racecheck"):
        logged = re.findall(rf"^clean  {name}  errors 0  exit 0  (.*)$", log, re.MULTILINE)
        if what == "h200":
            assert logged and logged == list(RUNS[:len(logged)]), logged
            assert (f"has the first {len(logged)} of these runs" in page) == (len(logged) < len(RUNS)), len(logged)
        else:
            assert logged == [line for line in RUNS if "collide" in line
                              and (name == "memcheck" or not line.startswith("mpirun"))], logged
    assert "0 of" in log.splitlines()[-1], log
