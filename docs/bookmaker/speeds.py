"""The README's table: how long a task takes on one core, all cores and the GPU of a node, and beside another
program on one host."""

from . import BookError, results
from .tables import PROGRAMS

# (task, problem and variant of the experiment `portability`, work of the experiment `hosts`)
TASKS = (("cut {n} particles into {leaves} domains", "orb", "orb best", "orb"),
         ("find the haloes of {n} particles", "fof", "fof leaf-pairs", "groups"),
         ("count the neighbours of {n} points", "walk", "walk fsm", "34 counted"))


def power(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}".replace(",000,000", " million")


def seconds(value):
    """Three digits with a unit."""
    scales = (("s", 1), ("ms", 1e3), ("µs", 1e6))
    unit, scale = next((pair for pair in scales if value * pair[1] >= 1), scales[-1])
    return f"{value * scale:#.3g}".rstrip(".") + f" {unit}"


def peer(root, machine, work):
    """The fastest other program, and how many times as long it takes."""
    rows = [row for row in results.load(root, f"{machine}/hosts")["rows"] if row["work"] == work and row["peer"]]
    if not rows:
        raise BookError(f"{machine}/hosts has no other program for '{work}'")
    best = min(rows, key=lambda row: row["seconds"])
    return f"{PROGRAMS.get(best['by'], best['by'])} takes {best['over_copse']:.1f} times as long"


def speeds(root, node, host):
    """A row for each task."""
    document = results.load(root, f"{node}/portability")
    cores = document["context"]["cores"]
    head = ["task", "one core", f"{cores} cores", document["machine"]["gpu"]["name"], "another program, on two cores"]
    lines = [head, ["---"] * len(head)]
    for words, problem, variant, work in TASKS:
        rows = {row["backend"]: row for row in document["rows"]
                if (row["problem"], row["variant"], row["level"]) == (problem, variant, "variant")}
        first = rows["serial"]
        lines.append([words.format(n=power(first["particles"]), leaves=first.get("leaves")),
                      *(seconds(rows[backend]["seconds"]) for backend in ("serial", "openmp", "cuda")),
                      peer(root, host, work)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
