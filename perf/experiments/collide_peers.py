"""Rows of collide_peers.toml: one for each method of a program, which has checked that the answers are equal."""

import statistics


def _row(names, by, samples, peer):
    seconds = statistics.median(samples)
    steps = names["report"]["input"]["particles"] * names["steps"]
    return {"work": names["work"], "by": by, "peer": peer, "backend": names["report"]["run"]["backend"],
            "seconds": seconds, "samples": samples, "particle_steps_per_second": steps / seconds,
            "checksum": names["report"]["input"]["checksum"]}


def rows(names):
    """The rows of one report."""
    methods = names["report"]["results"]["methods"]
    if names["report"]["app"] == "collide":
        return [_row(names, "collide alone", names["samples"]("copse::collide::steps_*"), False)]
    return [_row(names, name, names["samples"](f"peer::collide::{name}"), name.startswith("cabana"))
            for name in methods]


def finish(table, _published, note):
    """Adds how many times collide's seconds each library takes, in the same process."""
    for row in table:
        base = next((other for other in table if other["run"] == row["run"] and not other["peer"]), None)
        row["over_copse"] = row["seconds"] / base["seconds"] if row["peer"] else None
    if not any(row["peer"] for row in table):
        note("Cabana is left out: it is not installed, or peers are not built (-DCOPSE_ENABLE_PEERS=ON)")
    return table
