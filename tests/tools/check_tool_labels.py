"""check_tool_labels.py TOOL FOLDER NAME=PROGRAM...: a Kokkos tool sees the kernels, regions and allocations of
every mini-app under labels copse::<area>::<what>. TOOL is the library of recording_tool.cpp.
"""

import os
import pathlib
import subprocess
import sys

# For each mini-app: options, and a kernel and a region that every run on one thread reports.
RUNS = {
    "orb": (["--leaves", "8"], "for copse::bisect::split", "region copse::bisect::partition"),
    "fof": (["--method", "leaf-pairs"], "for copse::fof::between_leaves",
            "region copse::fof::run_leaf-pairs_serial"),
    "traversal": ([], "for copse::partition::move", "region copse::traversal::build"),
    "gravity": (["--method", "breadth"], "for copse::gravity::breadth",
                "region copse::gravity::walk_breadth"),
    "collide": (["--generate", "cs267", "--steps", "5", "--method", "strips"],
                "for copse::collide::each_strip", "region copse::collide::steps_strips"),
}
OTHERS = ("Kokkos::", "UnorderedMap", "_mirror")  # labels that Kokkos gives to its own work

tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
for name, program in (argument.split("=", 1) for argument in sys.argv[3:]):
    options, *wanted = RUNS[name]
    out = folder / f"{name}.txt"
    out.unlink(missing_ok=True)
    done = subprocess.run(
        [program, "--particles", "2000", "--backend", "serial", "--repeat", "1", *options],
        capture_output=True, text=True, check=False,
        env={**os.environ, "KOKKOS_TOOLS_LIBS": tool, "COPSE_TOOL_OUTPUT": str(out)})
    assert done.returncode == 0, f"{name} with a tool: {done.stderr}"
    assert out.is_file(), f"{name} did not load the tool"
    seen = {}
    for line in out.read_text(encoding="utf-8").splitlines():
        kind, count, label = line.split(" ", 2)
        seen[f"{kind} {label}"] = int(count)
        assert kind == "unfinished" or label.startswith(("copse::", *OTHERS)), \
            f"{name}: the label '{label}' does not say whose it is"
    assert seen.pop("unfinished kernels and regions") == 0, f"{name}: kernels or regions do not end"
    for label in wanted:
        assert seen.get(label, 0) >= 2, f"{name}: {label} of warm-up and run are not in {sorted(seen)}"
    assert sum(label.startswith("allocate copse::") for label in seen) > 3, f"{name}: {sorted(seen)}"
