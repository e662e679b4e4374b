"""check_exact.py NAME PROGRAM FOLDER MPIEXEC NUMPROC_FLAG: every check without a tolerance notices the smallest error.

PROGRAM is a mini-app in whose results COPSE_SABOTAGE changes one count, one id, one coordinate by a unit in the last
place. Exactly the checks listed here must fail, and every exact check of the sound runs must be the first of a list.
Others fail with it only where its condition is part of theirs: a label that is too large is also a wrong label.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program_checks import RANKS, VerifiedRun, backends, check  # noqa: E402

name, program, place, mpiexec, numproc = *sys.argv[1:3], pathlib.Path(sys.argv[3]), *sys.argv[4:6]

ORB = ["--generate", "uniform", "--particles", "2000", "--leaves", "11", "--seed", "3"]
TREE = ["--output", place / "tree.h5"]
STRAY = ("side_of_cut", "cut_between_keys", "inside_leaf_box")
LOST = ("coordinate_checksum", "every_particle_once", "input_order_kept")

NFW = ["--generate", "nfw", "--particles", "3000"]
LEVELS = [*NFW, "--halo-fraction", "0.8", "--b", "0.2,0.1"]
TREE_OF_LINKS = [*NFW, "--method", "emst-boruvka", "--dendrogram", place / "tree.csv"]
SNAPSHOT = place / "three.tipsy"
SPECIES = ["--input", SNAPSHOT, "--species", "dark", "--linking-length", "0.03", "--isolated"]
UNLIKE = "groups_unlike_the_reference"
GROUPS = {"lose-member": ("friends_in_different_groups", UNLIKE),
          "label-above": ("labels_that_are_no_smallest_row", UNLIKE),
          "join-lone": (UNLIKE,)}
ATTACHED = {"lose-attached": ("attached_to_the_wrong_group",),
            "attached-above": ("labels_of_all_species_that_are_no_smallest_row",),
            "move-linked": ("linked_particles_in_other_groups_than_before",)}

REPEATS = ["--generate", "nfw", "--particles", "6000", "--tree", "binary", "--mac", "changa", "--theta", "0.7",
           "--cache-depth", "1", "--inclusion", "radius", "--backend", "serial"]
REPEATED = {"cell-not-listed": ("buckets_unlike_recursion",), "cell-repeated": ("nothing_repeats_with_inclusion",)}

NEAR = {"distance": ("distances_equal_brute_force", "neighbors_are_different_points_at_their_distances"),
        "neighbor": ("neighbors_are_different_points_at_their_distances",)}
PAIRS = ["point-correlation", "--correlation"]

GAS = ["--generate", "gas", "--particles", "300", "--density", "1", "--steps", "10", "--method", "cells",
       "--backend", "serial"]
# For each mini-app: options, then for each corruption the checks that fail.
CASES = {
    "orb": [
        ([*ORB, *TREE], {
            "swap": STRAY,
            "order": ("input_order_kept",),
            "duplicate": ("every_particle_once", "coordinates_moved_along", "input_order_kept"),
            "lose": LOST,
            "coordinate": ("coordinates_moved_along", "coordinate_checksum"),
            "cut": ("cut_between_keys", "side_of_cut", "inside_leaf_box"),
            "rank": ("counts_by_rule",),
            "range": (*STRAY, "counts_by_rule", "input_order_kept"),
            "gap": ("ranges_tile", *STRAY, "counts_by_rule", "input_order_kept"),
            "leaves": ("leaf_counts", "heap_conditions"),
            "heap": ("heap_conditions", "leaf_counts"),
            "axis": ("longest_axis_cut", "side_of_cut", "cut_between_keys", "boxes_match"),
            "box": ("boxes_match", "volumes_add_up"),
            "shrink": ("inside_leaf_box", "boxes_match", "volumes_add_up")}),
        ([*ORB, "--all-backends"], {"other-backend": ("openmp_equals_serial",)}),
        ([*ORB, "--axis-rule", "cyclic"],
         {"axis": ("cyclic_axis_cut", "side_of_cut", "cut_between_keys", "boxes_match")}),
        ([*ORB, "--weights", "heavy-tailed"], {"rank": ("weights_by_rule",)}),
        # Variants are verified like the default, except for what they do not guarantee.
        ([*ORB, "--cut", "bisection", "--count", "batched"], {"swap": STRAY}),
        ([*ORB, "--cut", "sampled-bisection"], {"rank": ("counts_by_rule",)}),
        ([*ORB, "--cut", "histogram"], {"cut": STRAY}),
        ([*ORB, "--partition", "atomic"], {"duplicate": ("every_particle_once", "coordinates_moved_along")}),
        ([*ORB, "--partition", "hoare"], {"lose": ("coordinate_checksum", "every_particle_once")}),
        ([*ORB, "--cut", "bisection", "--alpha", "50"], {"box": ("boxes_match", "volumes_add_up")}),
        ([*ORB, "--placement", "count-on-device"], {"shrink": ("inside_leaf_box", "boxes_match", "volumes_add_up")}),
        ([*ORB, "--positions-only", *TREE], {
            "lose": ("coordinate_checksum",), "coordinate": ("coordinate_checksum",), "swap": STRAY,
            "rank": ("counts_by_rule",)}),
        *(([*ORB, "--compress", bits], {"byte": ("compressed_positions_arrive",)}) for bits in ("32", "21", "16")),
        ([*ORB, "--count-bandwidth"],
         {"sum:read": ("read_is_right",),
          **{f"sum:{kernel}": (f"{kernel}_counts_right",) for kernel in ("naive", "per-cell", "batched", "warp")}}),
        ([RANKS, *ORB, "--backend", "serial", *TREE], {
            "rank-swap": ("gathered_result", "side_of_cut"),
            "rank-order": ("input_order_kept", "gathered_result"),
            "rank-lose": ("same_ids", "particles_intact", "input_order_kept", "gathered_result"),
            "rank-coordinate": ("particles_intact", "gathered_result"),
            "rank-cell": ("cells_agree", "boxes_match"),
            "rank-owner": ("on_owning_rank", "side_of_cut")})],
    "fof": [
        (NFW, GROUPS),
        ([*NFW, "--velocity-link", "0.5"], GROUPS),
        ([*NFW, "--backend", "serial", "--method", "all"],
         {f"labels:{method}_serial": (f"{method}_serial_equals_leaf-pairs_serial",)
          for method in ("kd-tree", "brute-force", "emst-boruvka")}),
        (LEVELS, {
            "sub-lose-member": ("level_1_friends_in_different_groups", f"level_1_{UNLIKE}"),
            "sub-label-above": ("level_1_labels_that_are_no_smallest_row", f"level_1_{UNLIKE}"),
            "sub-join-lone": (f"level_1_{UNLIKE}",),
            "sub-join-outside": ("level_1_members_outside_of_the_parent", f"level_1_{UNLIKE}"),
            "sub-crossing": (f"level_1_{UNLIKE}_within_their_parents",)}),
        (TREE_OF_LINKS, {
            "tree-lost-edge": ("tree_edges_missing", "groups_of_the_tree_that_differ",
                               "groups_of_the_tree_at_half_the_link_that_differ"),
            "tree-lost-longest": ("tree_edges_missing",),
            "tree-edge-at-link": ("groups_of_the_tree_that_differ",),
            "tree-edge-at-half": ("groups_of_the_tree_at_half_the_link_that_differ",)}),
        (SPECIES, ATTACHED),
        ([RANKS, *NFW], {**GROUPS, "rank-other-reach": ("ranks_agree_who_are_friends",)}),
        ([RANKS, *LEVELS], {"sub-join-lone": ("failed_checks_of_groups_within_groups",)}),
        ([RANKS, *SPECIES, "--output", place / "groups.h5"],
         {**ATTACHED, "move-linked": (*ATTACHED["move-linked"], *ATTACHED["lose-attached"])})],
    "gravity": [
        ([*REPEATS, "--count-repeats"], REPEATED),
        ([RANKS, *REPEATS, "--remote", "stateless", "--targets", "300"], REPEATED)],
    "traversal": [
        (["--benchmark", *benchmark, "--particles", "2000", "--backend", "serial"], corruptions)
        for benchmark, corruptions in (
            (["point-correlation", "--walk", "fsm"], {"count": ("counts_equal_brute_force",),
                                                      "walk:fsm_auto": ("counting_changes_no_result",)}),
            (["point-correlation", "--walk", "all"], {
                **{f"walk:{walk}_auto": (f"{walk}_auto_equals_lockstep_auto",) for walk in ("fsm", "ropes", "group")},
                "walk:recursive_auto": ("recursive_auto_equals_lockstep_auto", "counting_changes_no_result")}),
            *(([benchmark], NEAR) for benchmark in ("knn", "nearest-neighbor", "ball-tree", "vantage-point")),
            (["knn", "--walk", "fsm"], {
                "repeat": ("distances_equal_brute_force", "neighbors_are_different_points_at_their_distances"),
                "walk:fsm_auto": ("counting_changes_no_result",)}),
            (PAIRS, {f"{pairs}": (f"{pairs}_equal_brute_force",)
                     for pairs in ("data_data", "data_random", "random_random")}),
            ([*PAIRS, "--walk", "fsm"], {f"walk:{pairs}_fsm_auto": (f"{pairs}_counting_changes_no_result",)
                     for pairs in ("data_data", "data_random", "random_random")}),
            ([*PAIRS, "--random-factor", "20"], {
                "random_random": ("random_random_equal_those_of_another_walk",),
                "random_random_some": ("random_random_of_some_queries_equal_brute_force",)}))],
    "collide": [
        ([*GAS, "--dimensions", dimensions, "--output", place / "x.out"], {
            "contact-missing": ("cells_steps_with_wrong_contacts",),
            "contact-exchanged": ("cells_steps_with_wrong_contacts",),
            "position-bit": ("cells_particles_with_wrong_bits",),
            "velocity-bit": ("cells_particles_with_wrong_bits",),
            "particle-lost": ("cells_missing_particles", "cells_particles_with_wrong_bits"),
            "id-impossible": ("cells_missing_particles", "cells_particles_with_wrong_bits")})
        for dimensions in ("2", "3")] + [
        ([*GAS, "--summation", "any"], {
            "particle-lost": ("cells_missing_particles",),
            "velocity-nan": ("cells_deviation_of_a_step",)})],
}

place.mkdir(parents=True, exist_ok=True)
if name == "fof":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "fof"))
    import numpy as np
    import check_species
    check_species.write_tipsy(SNAPSHOT, check_species.make_particles(np.random.default_rng(5)))
known, named = set(), set()
for options, corruptions in CASES[name]:
    if "--all-backends" in options and backends(program) == ["serial"]:
        continue
    outputs = [word for word in options if isinstance(word, pathlib.Path) and word != SNAPSHOT]

    def run(**environment):
        for output in outputs:
            for file in place.glob(output.name + "*"):
                file.unlink()
        return VerifiedRun(program, [mpiexec, numproc, "3"], place, [str(word) for word in options], **environment)

    sound = run()
    check(sound.result.returncode == 0 and all(output.exists() for output in outputs), f"{options} fails",
          sound.result)
    known |= {test for test, found in sound.checks.items() if found["tolerance"] == 0.0}
    for corruption, tests in corruptions.items():
        bad = run(COPSE_SABOTAGE=corruption)
        check(bad.noticed(tests[0]) and bad.failed() == set(tests),
              f"{options}: {corruption} fails {sorted(bad.failed())} instead of {tests}", bad.result)
        written = [file for output in outputs for file in place.glob(output.name + "*")]
        check(not written, f"{options}: {corruption} leaves {written}", bad.result)
        named.add(tests[0])
check(known <= named, f"no corruption shows that these can fail: {sorted(known - named)}")
