"""Refuses a comparison of orb with a peer if their particles, trees or leaves differ."""

from laboratory.failures import Failed

# Particles by which leaves may differ: orb keeps ties together, Zoltan splits them. Measured: 1, of 10^7 uniform
# particles in 4096 leaves.
TIES = 4


def finish(rows, _published, note):
    """Checks every row against orb's; adds a note if there is no peer."""
    first = rows[0]
    for row in rows:
        both = f"{first['variant']} and {row['variant']}"
        if row["checksum"] != first["checksum"]:
            raise Failed(f"{both} had different particles")
        # Checksum of cells, cuts, boxes and particle order; None for Zoltan, whose cuts differ.
        if row["tree_checksum"] not in (None, first["tree_checksum"]):
            raise Failed(f"{both} made different trees: {first['tree_checksum']} and "
                         f"{row['tree_checksum']}")
        for leaf in ("smallest_leaf", "largest_leaf"):
            if abs(row[leaf] - first[leaf]) > TIES:
                raise Failed(f"leaves of {both} differ: {first[leaf]} and {row[leaf]}")
    if all(row["who"] == "orb" for row in rows):
        note("no peer is built (-DCOPSE_ENABLE_PEERS=ON): orb stands alone")
    return rows
