"""check_peer_groups.py PROGRAM FOLDER: peer_groups compares groups with those of another program, which is
played by a script of ours that links all pairs, and refuses times if they differ. It compares spanning trees
too; PROGRAM_sabotaged corrupts them."""

import json
import os
import shutil
import subprocess
import sys

program, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)

# Reads a Tipsy file of dark particles and writes the groups of all pairs closer than the length of -e.
PLAYED = """#!{python}
import struct, sys
change, silent = {change}, {silent}
options = sys.argv[1:]
assert "-std" in options and options[options.index("-m") + 1] == "1"
length = float(options[options.index("-e") + 1])
data = sys.stdin.buffer.read()
_, n, _, gas, dark, _, _ = struct.unpack(">d6i", data[:32])
assert gas == 0 and dark == n and len(data) == 32 + 36 * n
x = [struct.unpack(">3f", data[k + 4:k + 16]) for k in range(32, len(data), 36)]
if not silent:
    print("READ WALL TIME: 0 secs")
group = list(range(n))
for i in range(n):
    for j in range(i):
        if sum((a - b) ** 2 for a, b in zip(x[i], x[j])) < length ** 2 and group[i] != group[j]:
            old, new = group[i], group[j]
            group = [new if g == old else g for g in group]
if change:
    group[n // 2] = (group[n // 2] + 1) % n
if not silent:
    print("Number of initial groups: 0")
with open(options[options.index("-o") + 1] + ".grp", "w") as file:
    file.write("\\n".join(map(str, [n, *(g + 1 for g in group)])) + "\\n")
"""


def played(name, change=False, silent=False):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(PLAYED.format(python=sys.executable, change=change, silent=silent))
    os.chmod(path, 0o755)
    return path


def run(*arguments, program=program, **environment):
    report = os.path.join(folder, "report.json")
    done = subprocess.run([program, "--generate", "nfw", "--particles", "500", "--b", "0.3", "--repeat", "2",
                           "--verify", "--json", report, *arguments], capture_output=True, text=True,
                          check=False, env={**os.environ, **environment})
    with open(report, encoding="utf-8") as file:
        return done, json.load(file)


def refused(words, *arguments, **environment):
    done = subprocess.run([program, "--particles", "100", *arguments], capture_output=True, text=True,
                          check=False, env={**os.environ, **environment})
    assert done.returncode == 2 and len(done.stderr.strip().splitlines()) == 1, done
    assert words in done.stderr, done.stderr


# Its groups are those of fof, also by the environment; then its seconds are compared.
honest = played("honest")
for arguments, environment in ((["--washington", honest], {}), ([], {"COPSE_WASHINGTON_FOF": honest})):
    done, report = run("--backend", "serial", *arguments, **environment)
    assert done.returncode == 0, done.stderr
    found = report["results"]["finders"]
    assert found["copse"]["groups"] == found["washington"]["groups"] > 1, found
    assert any(f["name"] == "speedup::washington" and f["value"] > 0 for f in report["fom"]), report["fom"]
    phases = {p["name"]: p["seconds"]["samples"] for p in report["phases"]}
    # The compared part lies within the run of the program.
    within, whole = phases["peer::groups::washington"], phases["peer::run::washington"]
    assert len(within) == len(whole) == 2 and all(a < b for a, b in zip(within, whole)), phases
done, report = run("--backend", "openmp", COPSE_WASHINGTON_FOF=honest)
assert done.returncode == 0 or "this build has" in done.stderr, done.stderr
assert "washington" not in report["results"]["finders"] or "this build has" in done.stderr

# Spanning trees have the same groups; those of all particles have the same length.
names = ["emst_boruvka", "copse_mst", "arborx_mst"]
done, report = run("--backend", "serial", "--library", ",".join(names))
assert done.returncode == 0, done.stderr
found = report["results"]["finders"]
assert len({f["groups"] for f in found.values()}) == 1, found
assert set(found) in ({"copse", *names}, {"copse", *names[:2]}), found  # ArborX may not be installed
trees = [name for name in names[1:] if name in found]
lengths = [found[name]["tree_length"] for name in trees]
assert all(abs(length - lengths[0]) <= 2e-13 * lengths[0] for length in lengths) and lengths[0] > 0, lengths
assert "tree_length" not in found["emst_boruvka"], found  # not a tree of all particles
fom = {f["name"]: f["value"] for f in report["fom"]}
assert {f"speedup::{name}" for name in trees} <= set(fom), fom
assert ("tree_speedup::arborx_mst" in fom) == ("arborx_mst" in trees) and "tree_speedup::copse_mst" not in fom, fom
for name in trees:
    wrong = [("lost-edge", "tree_parts_too_many"), ("doubled-edge", "tree_cycles")]
    if len(trees) > 1 and name == trees[-1]:
        wrong.append(("moved-edge", "tree_length_unlike"))
    for sabotage, check in wrong:
        done, report = run("--backend", "serial", "--library", ",".join(names), program=program + "_sabotaged",
                           COPSE_SABOTAGE=sabotage, COPSE_SABOTAGE_OF=name)
        failed = {c["name"] for c in report["verification"]["checks"] if not c["passed"]}
        assert done.returncode == 1 and f"{check}_{name}" in failed and not report["fom"], (sabotage, name, failed)

# One wrong label is found, and no time is reported.
done, report = run("--backend", "serial", "--washington", played("changed", change=True))
assert done.returncode == 1 and "labels_unlike_washington" in done.stderr, done.stderr
assert not report["fom"], report["fom"]

refused("is not one of all, emst_boruvka", "--library", "arborx,other")
refused("did not print", "--backend", "serial", "--washington", played("silent", silent=True))
refused("there is no such file", "--backend", "serial", "--washington", os.path.join(folder, "none"))
with open(os.path.join(folder, "text"), "w", encoding="utf-8") as file:
    file.write("no program")
refused("cannot be started", "--backend", "serial", "--washington", file.name)
