"""check_profile.py ROOFLINE FOLDER: counters of kernels are merged by label.

The tables are written by hand in the two layouts of Nsight Compute, with numbers that are easy to
add; a stand-in for ncu prints one of them.
"""

import json
import os
import shutil
import subprocess
import sys

roofline, folder = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
out = os.path.join(folder, "counters.json")
sys.path.insert(0, roofline)
import profile  # noqa: E402


def run(*arguments, environment=None):
    if os.path.exists(out):
        os.remove(out)
    return subprocess.run([sys.executable, os.path.join(roofline, "profile.py"), "--out", out,
                           *arguments], capture_output=True, text=True, check=False,
                          env={**os.environ, **(environment or {})})


def counters():
    with open(out, encoding="utf-8") as file:
        return json.load(file)["kernels"]


def refused(done, code, word):
    assert done.returncode == code and word in done.stderr, (done.returncode, done.stderr)
    assert len(done.stderr.strip().splitlines()) == 1 and not os.path.exists(out)


done = run("--csv", os.path.join(here, "ncu_raw.csv"))
assert done.returncode == 0, done.stderr
kernels = counters()
assert set(kernels) == {"copse::fused::move", "copse::fused::sweep",
                        "void cub::DeviceScanKernel<cub::Policy900>(int)"}, list(kernels)
move = kernels["copse::fused::move"]
assert move["launches"] == 2 and move["memory"] == 64000 and move["L1"] == 140000
assert abs(move["L2"] - 82000) < 1e-6 and abs(move["seconds"] - 4.5e-6) < 1e-15
assert move["flops"] == 0 and move["instructions"] == 1800
assert kernels["copse::fused::sweep"]["flops"] == 50  # ten additions, twenty fused ones

done = run("--csv", os.path.join(here, "ncu_details.csv"))
assert done.returncode == 0, done.stderr
move = counters()["copse::partition::move"]
assert move["memory"] == 1.5e6 and abs(move["seconds"] - 3e-6) < 1e-15 and "L2" not in move

# How ncu names a kernel: the range it is launched in, a slash, its own name; or that alone.
for name, label in (("copse::curve::number/void Kokkos::Impl::launch<a::B<(int)3>>(T1)",
                     "copse::curve::number"),
                    ("Kokkos::View::initialization [copse::walk::counters]/void Kokkos::x(T1)",
                     "Kokkos::View::initialization [copse::walk::counters]"),
                    ("Kokkos::ViewFill-1D/void Kokkos::x<y>(T1)", "Kokkos::ViewFill-1D"),
                    ("cub::DeviceRadixSort/void cub::detail::onesweep<p>(T1)",
                     "cub::DeviceRadixSort"),
                    ("void cub::scan<a/b>(int)", "void cub::scan<a/b>(int)")):
    assert profile.label_of(name, [], []) == label, profile.label_of(name, [], [])

# The whole command, with a stand-in for ncu that prints the recording.
ncu = os.path.join(folder, "ncu")
with open(ncu, "w", encoding="utf-8") as file:
    file.write(f'#!/bin/sh\necho "$@" > {folder}/call\ncat {here}/ncu_raw.csv\n')
os.chmod(ncu, 0o755)
done = run("--ncu", ncu, "--launches", "7", "--phase", "copse::orb::build_cuda", "--phase",
           "copse::fused::move", "--", "orb", "--backend", "cuda", "--leaves", "8")
assert done.returncode == 0 and counters()["copse::fused::move"]["launches"] == 2, done.stderr
with open(os.path.join(folder, "call"), encoding="utf-8") as file:
    call = file.read()
assert call.endswith("--launch-count 7 --nvtx-include copse::orb::build_cuda/ --nvtx-include "
                     "copse::fused::move/ orb --backend cuda --leaves 8\n") and "--nvtx" in call
assert "--replay-mode application" in call and "--clock-control none" in call

with open(ncu, "w", encoding="utf-8") as file:
    file.write('#!/bin/sh\necho "==ERROR== ERR_NVGPUCTRPERM no permission"\nexit 1\n')
refused(run("--ncu", ncu, "--", "orb", "--backend", "cuda"), 2, "ERR_NVGPUCTRPERM")
refused(run("--ncu", "/no/ncu", "--", "orb", "--backend", "cuda"), 4, "not installed")
refused(run("--", "/bin/echo", "--backend", "serial", environment={"PATH": "/nowhere"}), 4, "perf")
refused(run("--csv", "/no/file"), 2, "/no/file")
refused(run(), 2, "command")
broken = os.path.join(folder, "broken.csv")
for text, word in (("nothing\n", "no table"), ('"ID","Kernel Name"\n"1"\n', "different lengths"),
                   ('"ID","Kernel Name","dram__bytes.sum"\n"","","furlong"\n"0","k","3"\n',
                    "furlong")):
    with open(broken, "w", encoding="utf-8") as file:
        file.write(text)
    refused(run("--csv", broken), 2, word)

assert profile.parse_perf("1200,,cycles:u,5,100.00,,\n<not supported>,,cache-misses,0,,\n"
                          "34,,instructions,5,100.00,0.1,\n") == {"cycles": 1200.0,
                                                                  "instructions": 34.0}
