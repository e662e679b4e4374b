"""Refuses a comparison of orb with a peer that had other particles or cut other leaves."""

from laboratory.failures import Failed

TIES = 16  # particles by which leaves may differ: orb keeps ties together


def finish(rows, _published, note):
    """Checks every row against orb's; without a peer the result says so."""
    first = rows[0]
    for row in rows:
        if row["checksum"] != first["checksum"]:
            raise Failed(f"{first['variant']} and {row['variant']} had different particles")
        for leaf in ("smallest_leaf", "largest_leaf"):
            if abs(row[leaf] - first[leaf]) > TIES:
                raise Failed(f"leaves of {first['variant']} and {row['variant']} differ: "
                             f"{first[leaf]} and {row[leaf]}")
    if all(row["who"] == "orb" for row in rows):
        note("no peer is built (-DCOPSE_ENABLE_PEERS=ON): orb stands alone")
    return rows
