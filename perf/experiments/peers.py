"""Refuses a comparison of orb with a peer that had other particles, made another tree or leaves."""

from laboratory.failures import Failed

TIES = 16  # particles by which leaves may differ: orb keeps ties together, Zoltan divides them


def finish(rows, _published, note):
    """Checks every row against orb's; without a peer the result says so."""
    first = rows[0]
    for row in rows:
        both = f"{first['variant']} and {row['variant']}"
        if row["checksum"] != first["checksum"]:
            raise Failed(f"{both} had different particles")
        # Of cells, cuts, boxes and the order of the particles; None for Zoltan, whose cuts differ.
        if row["tree_checksum"] not in (None, first["tree_checksum"]):
            raise Failed(f"{both} made different trees: {first['tree_checksum']} and "
                         f"{row['tree_checksum']}")
        for leaf in ("smallest_leaf", "largest_leaf"):
            if abs(row[leaf] - first[leaf]) > TIES:
                raise Failed(f"leaves of {both} differ: {first[leaf]} and {row[leaf]}")
    if all(row["who"] == "orb" for row in rows):
        note("no peer is built (-DCOPSE_ENABLE_PEERS=ON): orb stands alone")
    return rows
