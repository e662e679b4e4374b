"""The performance laboratory: what perf/run.py, perf/plot.py and perf/compare.py share.

    failures     the two ways in which an experiment fails
    catalogue    reads perf/experiments/NAME.toml and NAME.py
    sizes        2^20, 1e7 and "2^1..2^12"; values that differ in a quick run
    vocabulary   the expressions that experiment files may use
    sweep        an experiment on this machine: the list of its points
    programs     finds the programs and their backends
    machine      name, cores and GPUs of this machine
    execute      runs one point, rejects results without verification
    energy       joules of a command, from RAPL and NVML
    journal      finished points of an interrupted run
    progress     messages while an experiment runs
    listing      perf/run.py --list
    rows         rows of the result from the reports of its runs
    document     creates, writes, finds and reads results
    portability  Pennycook's performance portability
    provenance   what makes a result provisional, and what its command left out
    intervals    bootstrap intervals of ratios of medians
    panels       pictures of results

Only `panels` needs more than Python's standard library.
"""
