"""Rows of kernels, the two efficiencies and the scores of portability.toml, and its cascades."""

import statistics

from laboratory import portability
from laboratory.vocabulary import phase_samples, work_samples

# Kernels that create or check the input, which is not part of the timed work. Others that run once, and not in each
# timed run, are not part of it either.
OUTSIDE = ("Kokkos::", "copse::particles::generate", "copse::app::", "copse::verify::",
           "copse::direct_gravity::", "copse::fof::groups::")
COPIED = 24  # bytes read and written per particle by the copy that orb times


def rows(names):
    """One row for a variant, or one for each kernel of a run."""
    report = names["report"]
    backend = report["run"]["backend"]
    if names["level"] == "variant":
        samples = work_samples(report)
        return [{"seconds": statistics.median(samples), "samples": samples, "backend": backend}]
    found = [k for k in report["kernels"] if k["seconds"] and not k["name"].startswith(OUTSIDE)
             and len(k["seconds"]["samples"]) >= names["repeat"]]
    total = sum(k["seconds"]["median"] for k in found)
    copy = statistics.median(phase_samples(report, f"copse::orb::copy_{backend}")) \
        if report["app"] == "orb" else None
    return [{"kernel": k["name"], "backend": backend, "seconds": k["seconds"]["median"],
             "samples": k["seconds"]["samples"], "launches": statistics.median(k["launches"]),
             "share": k["seconds"]["median"] / total,
             "bytes_per_second": copy and COPIED * report["input"]["particles"] / copy}
            for k in found]


def finish(table, _published, note):
    """Adds efficiency, portability and speed_up relative to the slowest backend's time."""
    platforms = list(dict.fromkeys(row["backend"] for row in table))
    bandwidth = {row["backend"]: row["bytes_per_second"] for row in table
                 if row.get("bytes_per_second")}
    for problem in dict.fromkeys(row["problem"] for row in table):
        chosen = [r for r in table if r["problem"] == problem and r["level"] == "variant"]
        found = portability.application_efficiencies(
            {(r["variant"], r["backend"]): r["seconds"] for r in chosen})
        for row in chosen:
            row["efficiency"] = found[row["variant"], row["backend"]]
    kernels = [r for r in table if r["level"] == "kernel"]
    for key in dict.fromkeys((r["variant"], r["kernel"]) for r in kernels):
        chosen = [r for r in kernels if (r["variant"], r["kernel"]) == key]
        found = portability.bandwidth_efficiencies(
            {r["backend"]: r["seconds"] for r in chosen}, bandwidth) \
            if all(r["backend"] in bandwidth for r in chosen) else {}
        for row in chosen:
            row["efficiency"] = found.get(row["backend"])
            row["drawn"] = len(chosen) == len(platforms) > 1 and max(
                r["share"] for r in chosen) > 0.1
    for row in table:
        same = [r for r in table if (r["variant"], r.get("kernel")) ==
                (row["variant"], row.get("kernel"))]
        whole = len(same) == len(platforms) and all(r["efficiency"] for r in same)
        row["portability"] = portability.score([r["efficiency"] for r in same]) if whole else 0.0
        row["first"] = row is same[0]
        # The step of this row in the cascade.
        known = [r for r in same if r["efficiency"]]
        known.sort(key=lambda r: -r["efficiency"])
        steps = portability.cascade([r["efficiency"] for r in known])
        row["place"], row["score"] = next(
            ((k + 1, steps[k][1]) for k, r in enumerate(known) if r is row), (None, None))
        base = next((r for r in same if r["backend"] == platforms[0]), None)
        row["speed_up"] = base["seconds"] / row["seconds"] if base and row["seconds"] else None
    if len(platforms) == 1:
        note("one backend: nothing to be portable between")
    return table


def _cascades(figure, places, table, name):
    """A cascade for each problem of the table: one line per value of column `name`, which drops to 0
    on platforms that it does not run on."""
    platforms = range(1, len({r["backend"] for r in table}) + 1)
    for place, problem in zip(places, dict.fromkeys(r["problem"] for r in table)):
        axes = figure.add_subplot(place)
        chosen = [r for r in table if r["problem"] == problem]
        lines = dict.fromkeys((r["variant"], r[name]) for r in chosen)
        for index, (variant, line) in enumerate(lines):
            known = [r["efficiency"] for r in chosen if (r["variant"], r[name]) == (variant, line)]
            steps = portability.cascade(known + [0.0] * (len(platforms) - len(known)))
            axes.plot(platforms, [e for e, _ in steps], "o-", color=f"C{index}",
                      label=line.replace("copse::", ""))
            axes.plot(platforms, [s for _, s in steps], "s:", color=f"C{index}", alpha=0.6)
        axes.set(ylim=(0, 1.05), xlabel="platforms, best first", xticks=list(platforms),
                 title=f"{problem}{' kernels' if name == 'kernel' else ''}: "
                       "efficiency and (dotted) score")
        axes.title.set_fontsize(9)
        axes.legend(fontsize=6)
        axes.grid(alpha=0.3)


def _bars(axes, drawn):
    """Draws kernels by their efficiency on each backend."""
    names = list(dict.fromkeys(r["kernel"] for r in drawn))
    backends = list(dict.fromkeys(r["backend"] for r in drawn))
    for index, backend in enumerate(backends):
        mine = [r for r in drawn if r["backend"] == backend]
        axes.bar([names.index(r["kernel"]) + 0.8 * (index + 0.5) / len(backends) - 0.4
                  for r in mine], [r["efficiency"] for r in mine], 0.8 / len(backends),
                 label=backend)
    axes.set_xticks(range(len(names)), [n.replace("copse::", "") for n in names], rotation=30,
                    ha="right", fontsize=7)
    axes.set(ylabel="bandwidth efficiency, relative", ylim=(0, 1.05))
    if backends:
        axes.legend(fontsize=7)
    axes.grid(alpha=0.3)


def draw(figure, document):
    """Draws cascades of variants and of the kernels that take most of the time, and those by backend."""
    variants = [r for r in document["rows"] if r["level"] == "variant"]
    kernels = [r for r in document["rows"] if r.get("drawn") and r["efficiency"]]
    columns = max(len({r["problem"] for r in part}) for part in (variants, kernels))
    figure.set_size_inches(figure.get_figwidth(), 13.5)
    grid = figure.add_gridspec(3, columns)
    for line, (part, name) in enumerate(((variants, "variant"), (kernels, "kernel"))):
        _cascades(figure, [grid[line, k] for k in range(columns)], part, name)
    _bars(figure.add_subplot(grid[2, :]), kernels)
