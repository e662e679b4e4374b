"""Says of divergence.toml how far every configuration is from the best, and which one the program chooses."""

DEVICE = "device"  # one run of all walks and schedules, whose times can be compared


def _least(rows):
    return min((row["seconds"] for row in rows), default=None)


def finish(rows, _published, note):
    """Adds to the rows of all walks `over_best`, the seconds over those of the fastest configuration of the same
    case, `over_recursive`, over those of the fastest recursive walk, and `chosen`, whether the program takes this
    walk and schedule unless told otherwise. The other rows have none of these."""
    worst = {}
    for row in rows:
        case = [other for other in rows
                if all(other[k] == row[k] for k in ("benchmark", "input", "backend"))]
        same = [other for other in case if other["scheduling"] == DEVICE]
        default = next((other for other in case if other["scheduling"] == "defaults"), {})
        row["over_best"] = row["over_recursive"] = row["chosen"] = None
        if row["scheduling"] != DEVICE:
            continue
        recursive = _least(other for other in same if other["walk"] == "recursive")
        row["over_best"] = row["seconds"] / _least(same)
        row["over_recursive"] = row["seconds"] / recursive if recursive else None
        row["chosen"] = (row["walk"], row["schedule"]) == (default.get("walk"), default.get("schedule"))
        if row["chosen"]:
            for column in ("over_best", "over_recursive"):
                found = (row[column] or 0, f"{row['benchmark']} of {row['input']}")
                worst[column] = max(worst.get(column, (0, "")), found)
    for column, than in (("over_best", "the best"), ("over_recursive", "the fastest recursive walk")):
        if worst.get(column, (0,))[0] > 0:
            note(f"the program's choice takes at most {worst[column][0]:.3f} times as long as {than}: "
                 f"{worst[column][1]}")
    return rows
