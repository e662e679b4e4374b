"""The README's table: how long a task takes on one core, all cores and the GPU of a node."""

from . import results

# (task, problem and variant of the experiment `portability`)
TASKS = (("cut {n} particles into {leaves} domains", "orb", "orb best"),
         ("find the haloes of {n} particles", "fof", "fof leaf-pairs"),
         ("count the neighbours of {n} points", "walk", "walk fsm"),
         ("sum the gravity of {n} bodies", "gravity", "gravity breadth"),
         ("move {n} particles for {steps} steps", "collide", "collide default"))


def power(n):
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n:,}".replace(",000,000", " million")


def seconds(value):
    """Three digits with a unit."""
    scales = (("s", 1), ("ms", 1e3), ("µs", 1e6))
    unit, scale = next((pair for pair in scales if value * pair[1] >= 1), scales[-1])
    return f"{value * scale:#.3g}".rstrip(".") + f" {unit}"


def speeds(root, node):
    """A row for each task."""
    document = results.load(root, f"{node}/portability")
    cores = document["context"]["cores"]
    head = ["task", "one core", f"{cores} cores", document["machine"]["gpu"]["name"]]
    lines = [head, ["---"] * len(head)]
    for words, problem, variant in TASKS:
        rows = {row["backend"]: row for row in document["rows"]
                if (row["problem"], row["variant"], row["level"]) == (problem, variant, "variant")}
        first = rows["serial"]
        lines.append([words.format(n=power(first["particles"]), leaves=first.get("leaves"), steps=first.get("steps")),
                      *(seconds(rows[backend]["seconds"]) for backend in ("serial", "openmp", "cuda"))])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
