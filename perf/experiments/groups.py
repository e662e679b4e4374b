"""Rows of groups.toml, one for each library, and what is missing. The programs compare the groups."""

import statistics

# What a variant should have.
EXPECTED = {"clumps": {"fof emst-delaunay": "fof has no CGAL", "scikit-learn": "Python has no sklearn"},
            "haloes": {"ArborX, haloes": "ArborX is not installed"}}
# Finders of peer_groups, whose particles are haloes.
NAMES = {"copse": "fof leaf-pairs, haloes", "emst_boruvka": "fof emst-boruvka, haloes",
         "copse_mst": "fof tree of all, haloes", "arborx": "ArborX, haloes",
         "arborx_dense_box": "ArborX dense box, haloes", "arborx_mst": "ArborX tree of all, haloes"}
BEST = ("fof leaf-pairs", "fof leaf-pairs, haloes")


def rows(names):
    """The rows of one report."""
    report = names["report"]
    results = report["results"]
    found = results["libraries"] if report["app"] == "python_groups" else results["finders"]
    made = []
    for name, of in found.items():
        samples = names["samples"](f"peer::groups::{name}")
        made.append({"library": NAMES.get(name, name), "seconds": statistics.median(samples),
                     "groups": of["groups"], "tree_length": of.get("tree_length"),
                     "linking_length": results["linking_length"],
                     "published_ratio": names["published"]["ratio_of_equals"], "samples": samples})
    return made


def finish(table, _published, note):
    """Adds the ratios to rows of the same process, and a note for each omitted library."""
    for row in table:
        bases = {other["library"]: other["seconds"] for other in table if other["run"] == row["run"]}
        row["ratio"] = row["seconds"] / next(bases[name] for name in BEST if name in bases)
        tree = bases.get(NAMES["copse_mst"]) if row["library"] == NAMES["arborx_mst"] else None
        row["tree_ratio"] = row["seconds"] / tree if tree else None
    there = {row["library"] for row in table}
    for variant in {row["variant"] for row in table}:
        for library, reason in EXPECTED[variant].items():
            if library not in there:
                note(f"{library} is left out: {reason}")
    return table
