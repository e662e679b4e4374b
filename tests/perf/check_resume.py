"""check_resume.py PERF FOLDER: an interrupted run resumes where it stopped, and leaves no partial result.

A stand-in for orb counts its calls in a file and is interrupted if another file says so.
"""

import json
import os
import shutil
import stat
import subprocess
import sys

perf, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
build = os.path.join(folder, "build")
os.makedirs(build)
calls, stop = os.path.join(folder, "calls"), os.path.join(folder, "stop")
results = os.path.join(folder, "out", "here", "fig22")
side_file = os.path.join(results, "unfinished.jsonl")

STAND_IN = f'''#!{sys.executable}
import json, sys
arguments = sys.argv[1:]
if "--help" in arguments:
    print("Options:\\n  --backend NAME One of serial, openmp")
    sys.exit()
value = dict(zip(arguments, arguments[1:]))
with open({calls!r}, "a") as file:
    file.write(value["--leaves"] + " " + value["--count"] + "\\n")
try:
    if open({stop!r}).read().strip() == value["--leaves"] + " " + value["--count"]:
        print("orb: error: lost power", file=sys.stderr)
        sys.exit(1)
except FileNotFoundError:
    pass
leaves = int(value["--leaves"])
report = {{"app": "orb", "git": {{"commit": "c" * 40, "dirty": False}}, "machine": {{"cores": 1}},
          "run": {{"backend": "serial", "started": "2026-01-01T00:00:00Z"}}, "phases": [],
          "verification": {{"requested": True, "passed": True}},
          "results": {{"launches_per_level": [leaves], "iterations_per_level": [1]}}}}
with open(value["--json"], "w") as file:
    json.dump(report, file)
'''
program = os.path.join(build, "orb")
with open(program, "w", encoding="utf-8") as file:
    file.write(STAND_IN)
os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)


def run(*options):
    """(exit code, calls that were made)."""
    if os.path.exists(calls):
        os.remove(calls)
    done = subprocess.run([sys.executable, os.path.join(perf, "run.py"), "fig22", "--quick",
                           "--build", build, "--results", os.path.join(folder, "out"),
                           "--machine", "here", *options], capture_output=True, text=True,
                          check=False)
    made = []
    if os.path.exists(calls):
        with open(calls, encoding="utf-8") as file:
            made = file.read().splitlines()
    return done.returncode, made


def halt(at):
    with open(stop, "w", encoding="utf-8") as file:
        file.write(at)


halt("8 batched")
code, made = run()
assert code == 2 and made == ["2 per-cell", "2 batched", "8 per-cell", "8 batched"], (code, made)
assert os.listdir(results) == ["unfinished.jsonl"], os.listdir(results)

# The machine went down while the last line was written: that point runs again, the others do not.
with open(side_file, encoding="utf-8") as file:
    text = file.read()
with open(side_file, "w", encoding="utf-8") as file:
    file.write(text[:-20])
halt("32 batched")
code, made = run()
assert code == 2 and made == ["8 per-cell", "8 batched", "32 per-cell", "32 batched"], (code, made)

# A different number of repeats is a different call.
code, made = run("--repeat", "2", "--set", "leaves=2")
assert code == 0 and made == ["2 per-cell", "2 batched"], (code, made)
with open(os.path.join(results, "ccccccc.json"), encoding="utf-8") as file:
    assert {row["repeat"] for row in json.load(file)["rows"]} == {2}
os.remove(os.path.join(results, "ccccccc.json"))

halt("none")
halt_before = run()
os.remove(stop)
assert halt_before[0] == 0, halt_before
assert os.listdir(results) == ["ccccccc.json"], os.listdir(results)
with open(os.path.join(results, "ccccccc.json"), encoding="utf-8") as file:
    document = json.load(file)
assert document["command"] == "perf/run.py fig22 --quick", document["command"]
assert document["runs"][0]["command"].startswith("orb --particles 4096 "), document
assert [(r["leaves"], r["count"], r["launches"]) for r in document["rows"]] == [
    (n, count, n) for n in (2, 8, 32) for count in ("per-cell", "batched")], document["rows"]

# Without unfinished points, and with --fresh, everything runs.
assert len(run()[1]) == 6
halt("32 batched")
assert run()[0] == 2
os.remove(stop)
assert len(run("--fresh")[1]) == 6


# The load of a result is the largest before a session that ran one of its points. The interrupted session found a busy
# machine; another result, of other points, does not have that load.
def load_before(*options):
    halt("32 batched")
    assert run()[0] == 2
    os.remove(stop)
    with open(side_file, encoding="utf-8") as file:
        first, *others = [json.loads(line) for line in file]
    assert len(others) == 4 and first["load"] == others[-1]["load"], (first, others)
    with open(side_file, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(entry) + "\n" for entry in ({**first, "load": 999.0}, *others))
    code, made = run(*options)
    with open(os.path.join(results, "ccccccc.json"), encoding="utf-8") as file:
        return code, len(made), json.load(file)["context"]["load_before"]


assert load_before() == (0, 1, 999.0)
code, made, load = load_before("--repeat", "2")
assert (code, made) == (0, 6) and 0 <= load < 999.0, (code, made, load)
