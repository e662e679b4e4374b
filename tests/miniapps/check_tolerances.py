"""check_tolerances.py NAME PROGRAM FOLDER MPIEXEC NUMPROC_FLAG: every check with a tolerance notices an error three
times as large.

PROGRAM is a mini-app whose results COPSE_SABOTAGE corrupts by COPSE_AMOUNT. The amount is scaled until the
check's value is three tolerances, so a tolerance that grows, or a quantity that stops to follow the
error, fails here. Checks that count violations have no tolerance; their sabotages are in check_NAME.py.
The tolerance of orb's volumes is 10^8 times below the rounding of a bound: any wrong bound fails it.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program_checks import RANKS, VerifiedRun, check  # noqa: E402

BODIES = ["--generate", "plummer", "--particles", "3000"]
FIELDS = [*BODIES, "--targets", "1000"]
FEW = ["--generate", "plummer", "--particles", "500", "--targets", "100", "--mac", "bmax", "--order", "4", "--theta", "1"]
MOVING = [*BODIES, "--softening", "0.01", "--steps", "10", "--dt", "0.01"]
REPEATING = ["--generate", "nfw", "--particles", "6000", "--tree", "binary", "--mac", "changa", "--theta", "0.7",
             "--cache-depth", "1"]
# For each mini-app: options, then for each check the corruption and the amount to begin with. Runs over 3 RANKS make
# the checks of one rank as well.
CASES = {
    "gravity": [
        *((fields, {"breadth_median_error": ("stretched", 1e-2),
                    "breadth_error_of_99_in_100": ("one-in-fifty-stretched", 0.1),
                    "breadth_median_error_of_potential": ("deeper", 1e-2),
                    "breadth_masses_counted_once": ("heavier-nodes", 1e-3),
                    "breadth_errors_of_expansions": ("heavier-nodes", 1e-3)}) for fields in (FIELDS, FEW)),
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
    # With 32 bits the error is a power of two: coordinates are rounded to units of Real.
    "orb": [([*BODIES, "--leaves", "11", "--compress", bits], {"compression_error": ("coarser", 3.0)})
            for bits in ("16", "21", "32")],
}
TIMES, SLACK = 3.0, 0.35  # the value, in tolerances, and how near to it the scaled amount must come


def run(options, **environment):
    return VerifiedRun(program, [mpiexec, numproc, "3"], place, [*options, "--backend", "serial"], **environment)


def scaled(options, name, sabotage, amount):
    """The run in which the check has about three tolerances: amounts act in proportion, nearly."""
    for _ in range(6):
        corrupted = run(options, COPSE_SABOTAGE=sabotage, COPSE_AMOUNT=repr(amount))
        times = corrupted.checks[name]["value"] / corrupted.checks[name]["tolerance"]
        if abs(times - TIMES) < SLACK:
            return corrupted
        check(times > 0.0, f"{name} does not see {sabotage} at all", corrupted.result)
        amount *= min(100.0, max(0.01, TIMES / times))
    sys.exit(f"{name} does not follow {sabotage}: {times:.3g} tolerances at {amount:.3g}")


name, program, place, mpiexec, numproc = *sys.argv[1:3], pathlib.Path(sys.argv[3]), *sys.argv[4:6]
place.mkdir(parents=True, exist_ok=True)
on_one_rank = set()  # without the method before them
for options, checks in CASES[name]:
    sound = run(options)
    check(sound.result.returncode == 0, f"{options} fails", sound.result)
    # traversal makes the checks of its final results for each walk as well.
    known = {test for test, found in sound.checks.items() if found["tolerance"] > 0.0
             and test != "volumes_add_up" and (name != "traversal" or test.startswith("final_"))}
    if options[0] == RANKS:
        known = {test for test in known if test.split("_", 1)[1] not in on_one_rank}
    else:
        on_one_rank |= {test.split("_", 1)[1] for test in known}
    check(known == set(checks), f"{options}: checks with a tolerance are {sorted(known)}")
    for test, (sabotage, amount) in checks.items():
        bad = scaled(options, test, sabotage, amount)
        check(bad.noticed(test), f"{test}: three tolerances pass", bad.result)
        print(f"{test}: sound {sound.checks[test]['value']:.2g}, tolerance "
              f"{sound.checks[test]['tolerance']:.2g}, noticed {bad.checks[test]['value']:.2g}")
