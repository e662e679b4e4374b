"""Says which libraries of groups.toml are not there; python_groups.py compares their groups."""

EXPECTED = {"fof emst-delaunay": "fof has no CGAL", "scikit-learn": "Python has no sklearn"}


def finish(rows, _published, note):
    """Notes what is left out."""
    there = {row["library"] for row in rows}
    for library, reason in EXPECTED.items():
        if library not in there:
            note(f"{library} is left out: {reason}")
    return rows
