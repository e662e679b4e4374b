"""Adds the counters of profile.py to the points of a run."""

COUNTED = ("memory", "L2", "L1", "flops", "integer_operations", "instructions")


def attach(points, kernels, machine):
    """Sets `counted` of each point whose kernel was counted, including the share of the machine's
    instruction issue. Counters identify kernels by label only: if several schedules of one walk share
    a label, their counts cannot be separated and are omitted."""
    labels = [point["label"] for point in points]
    for point in points:
        counted = (kernels or {}).get(point["label"])
        if counted and labels.count(point["label"]) == 1:
            point["counted"] = per_run(point, counted)
            issued = work(point, "instructions")
            if issued and machine.issue_rate:
                point["counted"]["of_issue"] = issued / machine.issue_rate / point["seconds"]


def per_run(point, counted):
    """Counters of profile.py, scaled from the profiled launches to those of one run."""
    scale = point["launches"] / counted["launches"]
    found = {name: counted[name] * scale for name in COUNTED if counted.get(name) is not None}
    for name in ("memory", "L2", "L1", "flops"):
        if found.get(name) and point.get(name):
            found[f"{name}_over_model"] = found[name] / point[name]
    return found


def work(point, quantity):
    """Counted flops, operations (floating-point and integer) or instructions of a point, or None."""
    counted = point.get("counted", {})
    if quantity == "operations" and counted.get("integer_operations"):
        return counted["integer_operations"] + counted.get("flops", 0)
    return counted.get(quantity) or None
