"""Reports which libraries of groups.toml are missing; python_groups.py compares their groups."""

EXPECTED = {"fof emst-delaunay": "fof has no CGAL", "scikit-learn": "Python has no sklearn"}


def finish(rows, _published, note):
    """Adds a note for each omitted library."""
    there = {row["library"] for row in rows}
    for library, reason in EXPECTED.items():
        if library not in there:
            note(f"{library} is left out: {reason}")
    return rows
