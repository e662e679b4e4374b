"""check_peer_tolerances.py NAME PROGRAM FOLDER: every comparison of a peer with the suite notices a small error.

PROGRAM is a peer in whose results COPSE_SABOTAGE changes one value. Where it can be changed by any COPSE_AMOUNT, the
amount is scaled until the check's value is three tolerances; otherwise it is one row, neighbour, count, label or
contact. For neighbours and counts, tests/perf/test_peer_answers.cpp has errors of three tolerances.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program_checks import VerifiedRun, check  # noqa: E402

LEAVES = ["--generate", "uniform", "--particles", "2e4", "--leaves", "100"]
# For each program its options, and for each kind of check the corruptions and the amount to begin with, if any. A
# kind is a pattern of names, whose group is what COPSE_SABOTAGE_OF names; the last check of a kind is tried. `True`:
# kinds that need no other library.
CASES = {
    "peer_nth_element": (LEAVES, {
        r"leaf_sizes()": (True, ["leaf"], 10.0),
        r"other_tree_than_orb()": (True, ["exchanged"], None),
        r"inside_leaf_box()": (True, ["exchanged"], None),
        r"index_carried()": (True, ["repeated"], None)}),
    "peer_zoltan_rcb": (LEAVES, {
        r"leaf_sizes()": (True, ["leaf"], 10.0),
        r"overlapping_parts()": (True, ["exchanged"], None),
        r"index_carried()": (True, ["repeated"], None)}),
    "peer_neighbors": (["--particles", "3000"], {
        r"peer::(.*)::nearest_.*": (True, ["neighbor", "repeated"], None),
        r"peer::(.*)::count_.*": (True, ["count"], None),
        r"unlike::.*::(.*)::nearest_.*": (False, ["neighbor"], None),
        r"unlike::.*::(.*)::count_.*": (False, ["count"], None)}),
    "peer_groups": (["--generate", "nfw", "--particles", "500", "--b", "0.3"], {
        r"labels_unlike_(.*)": (True, ["label"], None),
        r"tree_length_unlike_(.*)": (False, ["longer"], 1e-12)}),
    "peer_collide": (["--particles", "1000", "--steps", "50", "--method", "all"], {
        r"contacts_unlike_(.*)": (True, ["contact"], None),
        r"energy_unlike_(.*)": (True, ["energy"], 1e-11),
        r"positions_unlike_(.*)": (True, ["position"], 1e-10)}),
}
# The checks of fof and collide have corruptions in check_exact.py, those of spanning trees in check_peer_groups.py.
ELSEWHERE = "friends_|groups_|labels_that_|wrong_contacts|tree_(cycles|parts)_"
TIMES, SLACK = 3.0, 0.35  # the value, in tolerances, and how near to it the scaled amount must come


def run(**environment):
    return VerifiedRun(program, [], place, [*options, "--backend", "serial"], **environment)


def scaled(test, **environment):
    """The run in which the check has about three tolerances: amounts act in proportion, nearly."""
    amount = environment.pop("amount")
    for _ in range(6):
        bad = run(COPSE_AMOUNT=repr(amount), **environment)
        times = bad.checks[test]["value"] / bad.checks[test]["tolerance"]
        if abs(times - TIMES) < SLACK:
            return bad
        check(times > 0.0, f"{test} does not see {environment}", bad.result)
        amount *= TIMES / times
    sys.exit(f"{test} does not follow {environment}: {times:.3g} tolerances at {amount:.3g}")


name, program, place = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
place.mkdir(parents=True, exist_ok=True)
options, kinds = CASES[name]
sound = run()
check(sound.result.returncode == 0, f"{options} fails", sound.result)
tried = set()
for pattern, (always, sabotages, amount) in kinds.items():
    found = [test for test in sound.checks if re.fullmatch(pattern, test)]
    check(found or not always, f"there is no check {pattern}", sound.result)
    tried |= set(found)
    for sabotage in sabotages if found else ():
        test = found[-1]
        asked = {"COPSE_SABOTAGE": sabotage, "COPSE_SABOTAGE_OF": re.fullmatch(pattern, test)[1]}
        bad = run(**asked) if amount is None else scaled(test, amount=amount, **asked)
        check(bad.noticed(test), f"{test}: {sabotage} passes", bad.result)
        print(f"{test}: sound {sound.checks[test]['value']:.2g}, tolerance {sound.checks[test]['tolerance']:.2g}, "
              f"{sabotage} {bad.checks[test]['value']:.2g}")
rest = {test for test in sound.checks if not re.match(ELSEWHERE, test)} - tried
check(not rest, f"checks that nothing corrupts: {sorted(rest)}")
