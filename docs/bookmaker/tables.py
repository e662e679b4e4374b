"""Tables made from perf/results. Each takes the root and the words after its name in the page."""

from . import BookError, results

MACHINES = {"epyc2": "AMD EPYC, two cores", "h200": "NVIDIA H200"}


def markdown(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def medians(report):
    return {phase["name"]: phase["seconds"]["median"] for phase in report["phases"]}


def power_of_two(n):
    return f"2^{n.bit_length() - 1}" if n > 0 and n & (n - 1) == 0 else f"{n:,}"


def orb_builds(root, name):
    """Builds of orb: what each run of MACHINE/EXPERIMENT took on each backend."""
    rows = []
    for report in results.load(root, name)["runs"]:
        if report["parameters"]["kernel-times"]:
            continue
        median = medians(report)
        for backend in ("serial", "openmp", "cuda"):
            build = median.get(f"copse::orb::build_{backend}")
            copy = median.get(f"copse::orb::copy_{backend}")
            if build is not None:
                n = report["input"]["particles"]
                rows.append([report["parameters"]["generate"], power_of_two(n),
                             str(report["parameters"]["leaves"]), backend, f"{1e3 * build:.1f}",
                             f"{n / build:.3g}", f"{build / copy:.1f}"])
    return markdown(["input", "particles", "leaves", "backend", "ms", "particles/s", "copy passes"],
                    rows)


def versions(root, experiment):
    """Versions of a kernel: seconds and gain over the version before, one column for a machine.

    Every backend of every machine that has measured the experiment is a column; a version that a
    backend cannot run has no entry.
    """
    columns, names = [], []
    for machine in results.machines(root, experiment):
        for report in results.load(root, f"{machine}/{experiment}")["runs"]:
            columns.append((f"{report['run']['backend']}, {machine}", report["results"]["versions"]))
            for version in report["results"]["versions"]:
                if version["name"] not in names:
                    names.append(version["name"])
    if not columns:
        raise BookError(f"no machine has results of {experiment}")
    head = ["version"]
    for label, _ in columns:
        head += [f"ms ({label})", "gain"]
    rows = []
    for name in sorted(names):
        row = [name]
        for _, measured in columns:
            index = [v["name"] for v in measured].index(name) if name in [
                v["name"] for v in measured] else None
            if index is None:
                row += ["", ""]
                continue
            seconds = measured[index]["seconds"]
            row.append(f"{1e3 * seconds:.3g}")
            row.append(f"{measured[index - 1]['seconds'] / seconds:.2f}" if index else "")
        rows.append(row)
    return markdown(head, rows)


TABLES = {"orb_builds": orb_builds, "versions": versions}
