"""The ratio of one choice's time to another's, over all cases of an experiment."""

import math

from . import BookError, results


def rows_of(root, names, keys):
    """Rows of `MACHINE/EXPERIMENT/COMMIT+COMMIT`: of the later files the cases that those before do
    not have."""
    first, *more = names.split("+")
    found = []
    for name in [first] + [f"{first.rpartition('/')[0]}/{commit}" for commit in more]:
        known = {case_of(row, keys) for row in found}
        found += [row for row in results.load(root, name)["rows"]
                  if case_of(row, keys) not in known]
    return found


def case_of(row, keys):
    return tuple(str(results.lookup(row, key)) for key in keys)


def least_by_case(rows, keys, column, condition):
    """Of each case the least value of a column among the rows that meet a condition."""
    least = {}
    for row in rows:
        if row.get(column) is not None and results.meets(row, condition):
            case = case_of(row, keys)
            least[case] = min(least.get(case, math.inf), row[column])
    return least


def ratio(root, names, keys, column, over, under, statistic):
    """The least of a column with one condition over the least with another, case by case (a case is
    what the keys `a,b` say): the geometric `mean`, the `least` or the `greatest` of these ratios,
    or how many there are (`cases`), also of those `>=x` or `<=x`."""
    keys = keys.split(",")
    rows = rows_of(root, names, keys)
    above, below = (least_by_case(rows, keys, column, condition) for condition in (over, under))
    found = [above[case] / below[case] for case in above if case in below]
    if not found:
        raise BookError(f"no case of {names} has '{column}' with '{over}' and with '{under}'")
    if statistic[:2] in (">=", "<="):
        limit = float(statistic[2:])
        return sum(value >= limit if statistic[0] == ">" else value <= limit for value in found)
    known = {"mean": lambda: math.exp(sum(map(math.log, found)) / len(found)),
             "least": lambda: min(found), "greatest": lambda: max(found),
             "cases": lambda: len(found)}
    if statistic not in known:
        raise BookError(f"there is no statistic '{statistic}'; there are {sorted(known)}")
    return known[statistic]()
