"""Rows of groups.toml, one for each library, and what is missing. The programs compare the groups."""

import statistics

EXPECTED = {"fof emst-delaunay": "fof has no CGAL", "scikit-learn": "Python has no sklearn",
            "ArborX": "ArborX is not installed"}
# Finders of peer_groups.
NAMES = {"copse": "fof leaf-pairs", "emst_boruvka": "fof emst-boruvka", "copse_mst": "fof tree of all",
         "arborx": "ArborX", "arborx_dense_box": "ArborX dense box", "arborx_mst": "ArborX tree of all"}


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
    """Adds a note for each omitted library."""
    there = {row["library"] for row in table}
    for library, reason in EXPECTED.items():
        if library not in there:
            note(f"{library} is left out: {reason}")
    return table
