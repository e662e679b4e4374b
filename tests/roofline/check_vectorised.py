"""check_vectorised.py ROOFLINE COMPILER LISTING FOLDER [LIBRARY SYMBOL...]: [Rehmann 2022] section 4.3.4.

The compiler must turn the paper's count loop into listing 2 (SSE: packed comparison and subtraction
in xmm registers) with -O3 and into listing 3 (ymm registers) with AVX2; without its vectoriser it
must not; otherwise this test would detect nothing. With a library, the suite's own count loops must be vectorised.
"""

import os
import platform
import shutil
import subprocess
import sys

roofline, compiler, listing, folder, *own = sys.argv[1:]
if platform.machine() not in ("x86_64", "AMD64") or shutil.which("objdump") is None:
    print("needs x86-64 and objdump")
    sys.exit(4)
sys.path.insert(0, roofline)
import disassembly  # noqa: E402

os.makedirs(folder, exist_ok=True)


def loops(*flags):
    path = os.path.join(folder, "count_left.o")
    subprocess.run([compiler, "-std=c++20", "-O3", *flags, "-c", listing, "-o", path], check=True)
    disassembly.functions.cache_clear()
    return disassembly.counting_loops(path, "count_left")


def packed(found):
    return [loop for loop in found if loop["vectorised"]]


def is_listing(loop, register, compare, add):
    return (loop["vectorised"] and loop["register"] == register
            and {compare, add} <= set(loop["operations"]))


sse = loops("-march=x86-64")
assert any(is_listing(loop, "xmm", "cmpltps", "psubd") for loop in sse), sse
avx2 = loops("-march=haswell")
assert any(is_listing(loop, "ymm", "vcmpltps", "vpsubd") for loop in avx2), avx2
scalar = loops("-march=x86-64", "-fno-tree-vectorize", "-fno-tree-slp-vectorize")
assert scalar and not packed(scalar), scalar

if own:
    library, *symbols = own
    for symbol in symbols:
        found = disassembly.counting_loops(library, symbol)
        for loop in found:
            print(symbol, loop["register"], "packed" if loop["vectorised"] else "scalar",
                  " ".join(loop["operations"]))
        assert packed(found), f"no loop of {symbol} compares more than one key at a time"
