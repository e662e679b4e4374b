"""The performance laboratory: what perf/run.py, perf/plot.py and perf/compare.py share.

    failures     the two ways an experiment ends badly
    catalogue    reads perf/experiments/NAME.toml and NAME.py
    sizes        2^20, 1e7 and "2^1..2^12"; values that differ in a quick run
    vocabulary   the expressions that experiment files may use
    sweep        an experiment on this machine: the list of its points
    programs     where the programs are, what backends they have
    machine      what this machine is called, how many cores and GPUs it has
    execute      runs one point, refuses what is not verified
    energy       joules of a command, from RAPL and NVML
    journal      finished points of an interrupted run
    progress     what is said while an experiment runs
    listing      perf/run.py --list
    rows         rows of the result from the reports of its runs
    document     the result: made, written, found and read
    portability  Pennycook's performance portability
    intervals    bootstrap intervals of ratios of medians
    panels       pictures of results

Nothing but `panels` needs more than Python's standard library.
"""
