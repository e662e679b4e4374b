#!/usr/bin/python3
"""Says whether a compiled loop that counts keys uses vector instructions: [Rehmann 2022] section 4.3.4.

    roofline/disassembly.py build/openmp/miniapps/orb/libcopse_orb.a --symbol CountBlockOnHost

Looks at the innermost loops of the functions whose names contain SYMBOL and prints, for each that
compares floats, the registers and the instructions. x86-64 and objdump only.

Exit codes: 0 if one of them compares many floats at once; 1 if none does; 2 if there is nothing to
look at.
"""

import argparse
import functools
import re
import subprocess
import sys

LINE = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
# Packed comparisons of floats, and the instructions that add up their masks.
PACKED_COMPARE = re.compile(r"^v?cmp(lt|le|nle|nlt|gt|ge|eq|neq|unord|ord)?(_\w+)?ps$")
SCALAR_COMPARE = re.compile(r"^v?(u?comiss|cmp\w*ss)$")
PACKED_SUM = re.compile(r"^v?p(sub|add)[dq]$")


class NothingFound(Exception):
    """One sentence."""


def objdump(*arguments):
    try:
        done = subprocess.run(["objdump", *arguments], capture_output=True, text=True, check=False)
    except OSError as error:
        raise NothingFound(f"objdump cannot be started: {error.strerror}") from None
    if done.returncode != 0:
        raise NothingFound(f"objdump: {done.stderr.strip()}")
    return done.stdout


@functools.lru_cache(maxsize=1)
def functions(path):
    """{symbol: [(address, operation, operands)]} of what objdump -d prints."""
    found = {}
    current = None
    for line in objdump("-d", "-C", "--no-show-raw-insn", path).splitlines():
        head = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if head:
            current = found.setdefault(head.group(1), [])
            current.clear()
            continue
        match = LINE.match(line)
        if match and current is not None:
            current.append((int(match.group(1), 16), match.group(2), match.group(3)))
    return found


def innermost_loops(code):
    """Instruction lists between a backward jump and its target without another backward jump."""
    at = {address: i for i, (address, _, _) in enumerate(code)}
    spans = []
    for i, (address, operation, operands) in enumerate(code):
        target = re.match(r"^([0-9a-f]+)\b", operands) if operation.startswith("j") else None
        if target and int(target.group(1), 16) <= address and int(target.group(1), 16) in at:
            spans.append((at[int(target.group(1), 16)], i))
    return [code[a:b + 1] for a, b in spans
            if not any((c, d) != (a, b) and a <= c and d <= b for c, d in spans)]


def describe(loop):
    """The float instructions of a loop: {"vectorised", "register", "operations"}; None if it does not
    compare floats."""
    operations = [operation for _, operation, _ in loop]
    text = " ".join(operands for _, _, operands in loop)
    packed = any(PACKED_COMPARE.match(o) for o in operations)
    if not packed and not any(SCALAR_COMPARE.match(o) for o in operations):
        return None
    widest = next((r for r in ("zmm", "ymm", "xmm") if r in text), None)
    return {"vectorised": packed, "register": widest, "operations": operations,
            "sums": any(PACKED_SUM.match(o) for o in operations)}


def counting_loops(path, symbol):
    """Descriptions of all loops that compare floats in functions with that name."""
    code = functions(path)
    chosen = {name: lines for name, lines in code.items() if symbol in name}
    if not chosen:
        raise NothingFound(f"{path}: no function has {symbol} in its name")
    return [d for lines in chosen.values() for d in map(describe, innermost_loops(lines)) if d]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", help="an object file, library or program")
    parser.add_argument("--symbol", required=True, help="part of a function's name, demangled")
    options = parser.parse_args()
    try:
        loops = counting_loops(options.path, options.symbol)
    except NothingFound as error:
        print(f"disassembly.py: error: {error}", file=sys.stderr)
        sys.exit(2)
    for loop in loops:
        print("vectorised" if loop["vectorised"] else "scalar", loop["register"],
              " ".join(loop["operations"]))
    sys.exit(0 if any(loop["vectorised"] for loop in loops) else 1)


if __name__ == "__main__":
    main()
