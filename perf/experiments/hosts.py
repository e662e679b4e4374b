"""Rows of hosts.toml. Each has a work and who did it (`by`): a mini-app with its defaults, `copse` beside other
programs, or one of those. Sums of a build and a search pair their samples, which are runs of the same
process one after the other."""

import statistics

OURS = {"copse_threads": "copse", "copse_threads_scheduled": "copse"}
# Finders of groups that make spanning trees, and who made them. The base is the suite's tree of all particles, like
# ArborX's; emst-boruvka stops at the linking length.
TREES = {"copse_mst": "copse", "emst_boruvka": "emst-boruvka", "arborx_mst": "arborx_mst"}


def _row(work, by, *samples, **more):
    """Seconds of phases that follow each other: the row of their sum."""
    seconds = [sum(parts) for parts in zip(*samples)]
    return {"work": work, "by": by, "seconds": statistics.median(seconds), "samples": seconds, **more}


def _search(names, name):
    """Searches of one library in the only order of the queries."""
    build = names["samples"](f"peer::{name}::build")
    order = "elsewhere" if names["query_order"] == "elsewhere" else "tree"
    where = ", from elsewhere" if order == "elsewhere" else ""
    for search, work in (("nearest", "8 neighbours"), ("count", "34 counted")):
        yield _row(work + where, OURS.get(name, name), build,
                   names["samples"](f"peer::{name}::{search}_{order}"), peer=name not in OURS)


def _of_neighbors(names):
    results = names["report"]["results"]
    libraries = names["report"]["parameters"]["library"].split(",")
    return [row for name in libraries if name in results for row in _search(names, name)]


def _of_groups(names):
    for name in names["report"]["results"]["finders"]:
        samples = names["samples"](f"peer::groups::{name}")
        if name in TREES:
            yield _row(f"{names['work']} by spanning tree", TREES[name], samples, peer=name == "arborx_mst")
        else:
            yield _row(names["work"], name, samples, peer=name != "copse")


def _of_orb_peer(names):
    return [_row("orb", "nth_element", names["samples"]("peer::build"), peer=True),
            _row("orb", "copse", names["samples"]("orb::build"), peer=False)]


def _of_mini_app(names):
    report = names["report"]
    more = {"peer": False}
    samples = [names["work_samples"]()]
    if report["app"] == "traversal":
        samples.append(names["samples"]("copse::traversal::build"))
        more |= {"walk": report["results"]["configurations"][0]["walk"],
                 "median_error": report["results"].get("median_relative_error")}
    if report["app"] == "gravity":
        more["median_error"] = report["results"]["methods"][0]["acceleration_error"]["median"]
    if report["app"] == "orb":
        more["copy_passes"] = next(f["value"] for f in report["fom"] if f["name"] == "copy_passes")
    return [_row(names["work"], report["app"], *samples, **more)]


SOURCES = {"peer_neighbors": _of_neighbors, "peer_groups": _of_groups, "peer_nth_element": _of_orb_peer}


def rows(names):
    """The rows of one report."""
    found = SOURCES.get(names["report"]["app"], _of_mini_app)(names)
    checksum = names["report"]["input"]["checksum"]
    return [{**row, "backend": names["report"]["run"]["backend"], "checksum": checksum} for row in found]


def finish(table, published, note):
    """Adds how many times the suite's seconds each program takes, in the same process."""
    for row in table:
        base = next((other for other in table if other["run"] == row["run"] and other["by"] == "copse"
                     and other["work"] == row["work"]), None)
        row["over_copse"] = row["seconds"] / base["seconds"] if base and row["peer"] else None
        row["at_least"] = published["at_least"].get(row["work"]) if row["peer"] else None
    if not any(row["peer"] for row in table):
        note("no peer is built (-DCOPSE_ENABLE_PEERS=ON): the suite stands alone")
    for name, how in (("arborx", "ArborX is not installed"),
                      ("washington", "COPSE_WASHINGTON_FOF does not name its program")):
        if not any(row["by"] == name for row in table):
            note(f"{name} is left out: {how}")
    return table
