"""Reference figures of the labs, from perf/results and the copy bandwidths of roofline/machines."""

from . import BookError, results, tables


def reference(root, experiment, condition):
    """[(machine, row)] of every machine and backend whose newest results have one row that meets
    the condition."""
    found = [(machine, row) for machine in results.machines(root, experiment)
             for row in results.rows(results.load(root, f"{machine}/{experiment}"), condition)]
    if not found:
        raise BookError(f"no row of {experiment} meets '{condition}'")
    places = [(machine, row["backend"]) for machine, row in found]
    if len(set(places)) < len(places):
        raise BookError(f"several rows of {experiment} meet '{condition}' on one backend")
    return found


def copy_passes(root, experiment, condition, numbers):
    """Copy passes of a kernel: a pass copies `numbers` four-byte numbers for each particle."""
    made = []
    for machine, row in reference(root, experiment, condition):
        try:
            rate = results.field(results.load(root, f"roofline/machines/{machine}"),
                                 f"results.ceilings[backend={row['backend']}]"
                                 ".levels[name=memory].bytes_per_second.copy")
        except BookError:
            continue  # a machine or backend whose memory was not measured
        seconds = row.get("fastest", row["seconds"])
        copy = 8 * int(numbers) * row["particles"] / rate  # read and written
        made.append([row["backend"], machine, tables.power_of_two(row["particles"]),
                     tables.three_digits(1e3 * seconds), tables.two_places(seconds / copy)])
    return tables.markdown(["backend", "machine", "particles", "ms", "copy passes"], sorted(made))


def queries(root, experiment, condition):
    """Queries per second of a walk, its schedule included."""
    made = [[row["backend"], machine, f"{row['particles']:,}",
             tables.three_digits(1e3 * row["seconds"]), results.written(row["particles"] / row["seconds"], ".3g")]
            for machine, row in reference(root, experiment, condition)]
    return tables.markdown(["backend", "machine", "queries", "ms", "queries/s"],
                           sorted(made))


TABLES = {"copy_passes": copy_passes, "queries": queries}
