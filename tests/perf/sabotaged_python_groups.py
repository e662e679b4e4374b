#!/usr/bin/env python3
"""perf/peers/python_groups.py with one label of its first library changed, which it must notice.

Usage: as python_groups.py
"""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[2] / "perf" / "peers"))
import python_groups  # noqa: E402

measure = python_groups.measure


def sabotaged(*arguments):
    found, report = measure(*arguments)
    labels, _ = next(iter(found.values()))
    labels[0] = labels.max() + 1 if (labels == labels[0]).sum() > 1 else labels[1]
    return found, report


python_groups.measure = sabotaged
python_groups.main()
