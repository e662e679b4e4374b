"""check_tolerances.py NAME PROGRAM FOLDER MPIEXEC NUMPROC_FLAG: every check with a tolerance notices an error three
times as large.

PROGRAM is a mini-app whose results COPSE_SABOTAGE corrupts by COPSE_AMOUNT. The amount is scaled until the
check's value is three tolerances, so a tolerance that grows, or a quantity that stops to follow the
error, fails here. Checks that count violations have no tolerance; their sabotages are in check_NAME.py.
The tolerance of orb's volumes is 10^8 times below the rounding of a bound: any wrong bound fails it.
"""

import json
import os
import pathlib
import subprocess
import sys

BODIES = ["--generate", "plummer", "--particles", "3000"]
FIELDS = [*BODIES, "--targets", "1000"]
MOVING = [*BODIES, "--softening", "0.01", "--steps", "10", "--dt", "0.01"]
REPEATING = ["--generate", "nfw", "--particles", "6000", "--tree", "binary", "--mac", "changa", "--theta", "0.7",
             "--cache-depth", "1"]
# For each mini-app: options, then for each check the corruption and the amount to begin with. Runs over 3 RANKS make
# the checks of one rank as well.
RANKS = "over 3 ranks"
CASES = {
    "gravity": [
        (FIELDS, {"breadth_median_error": ("stretched", 1e-2),
                  "breadth_error_of_99_in_100": ("one-in-fifty-stretched", 0.1),
                  "breadth_median_error_of_potential": ("deeper", 1e-2),
                  "breadth_masses_counted_once": ("heavier-nodes", 1e-3),
                  "breadth_errors_of_expansions": ("heavier-nodes", 1e-3)}),
        (MOVING, {"breadth_energy_drift": ("slower", 1e-2),
                  "breadth_momentum_push": ("pushed", 1e-3)}),
        ([*REPEATING, "--count-repeats"], {"masses_counted": ("heavier-leaves", 1e-5)}),
        ([RANKS, *REPEATING, "--remote", "stateless", "--targets", "300"],
         {"masses_of_repeats": ("heavier-repeats", 0.1)})],
    "traversal": [
        (["--benchmark", "barnes-hut", *BODIES, *more], {
            "final_median_error": ("stretched", 1e-2),
            "final_error_of_99_in_100": ("one-in-fifty-stretched", 0.3),
            "final_errors_of_expansions": ("stretched", 1e-4)})
        for more in ([], ["--monopole"])],
    "collide": [
        (["--generate", "gas", "--particles", "300", "--density", "1", "--steps", "10", "--summation",
          "any", "--method", "cells"], {"cells_deviation_of_a_step": ("velocity-nudged", 1e-9)})],
}
TIMES, SLACK = 3.0, 0.35  # the value, in tolerances, and how near to it the scaled amount must come


class Run:
    """A mini-app run with --verify: its exit code, and its checks by name."""

    def __init__(self, program, folder, options, sabotage=None, amount=0.0):
        out = folder / "report.json"
        out.unlink(missing_ok=True)
        environment = {"COPSE_SABOTAGE": sabotage, "COPSE_AMOUNT": repr(amount)} if sabotage else {}
        start = [mpiexec, numproc, "3"] if options[0] == RANKS else []
        self.done = subprocess.run(
            [*start, program, *[word for word in options if word != RANKS], "--backend", "serial", "--repeat", "1", "--verify", "--json", str(out)],
            capture_output=True, text=True, check=False, env={**os.environ, **environment})
        assert out.is_file(), f"{options}: no report\n{self.done.stderr}"
        checks = json.loads(out.read_text(encoding="utf-8"))["verification"]["checks"]
        self.checks = {check["name"]: check for check in checks}


def scaled(program, folder, options, name, sabotage, amount):
    """The run in which the check has about three tolerances: amounts act in proportion, nearly."""
    for _ in range(6):
        run = Run(program, folder, options, sabotage, amount)
        check = run.checks[name]
        times = check["value"] / check["tolerance"]
        if abs(times - TIMES) < SLACK:
            return run
        assert times > 0.0, f"{name} does not see {sabotage} at all"
        amount *= min(100.0, max(0.01, TIMES / times))
    raise AssertionError(f"{name} does not follow {sabotage}: {times:.3g} tolerances at {amount:.3g}")


name, program, place, mpiexec, numproc = *sys.argv[1:3], pathlib.Path(sys.argv[3]), *sys.argv[4:6]
place.mkdir(parents=True, exist_ok=True)
on_one_rank = set()  # without the method before them
for options, checks in CASES[name]:
    sound = Run(program, place, options)
    assert sound.done.returncode == 0, sound.done.stderr
    # traversal makes the checks of its final results for each walk as well.
    known = {check for check, found in sound.checks.items() if found["tolerance"] > 0.0
             and (name != "traversal" or check.startswith("final_"))}
    if options[0] == RANKS:
        known = {check for check in known if check.split("_", 1)[1] not in on_one_rank}
    else:
        on_one_rank |= {check.split("_", 1)[1] for check in known}
    assert known == set(checks), f"{options}: checks with a tolerance are {sorted(known)}"
    for check, (sabotage, amount) in checks.items():
        bad = scaled(program, place, options, check, sabotage, amount)
        assert bad.done.returncode == 1 and check in bad.done.stderr and "FOM" not in bad.done.stdout, \
            f"{check}: three tolerances pass\n{bad.done.stdout}\n{bad.done.stderr}"
        print(f"{check}: sound {sound.checks[check]['value']:.2g}, tolerance "
              f"{sound.checks[check]['tolerance']:.2g}, noticed {bad.checks[check]['value']:.2g}")
