#!/usr/bin/env python3
"""Writes small valid files of every snapshot format: where the fuzzers start from.

Usage: make_seeds.py FOLDER. Makes FOLDER/fuzz_<format>/<seed>.
"""

import pathlib
import struct
import sys


def tipsy(order, header_bytes, counts):
    n = sum(counts)
    data = struct.pack(order + "d5i", 0.5, n, 3, *counts)
    if header_bytes == 32:
        data += struct.pack(order + "i", 0)
    for count, floats in zip(counts, (12, 9, 11)):
        for i in range(count):
            data += struct.pack(f"{order}{floats}f", *(1.0 + i + k for k in range(floats)))
    return data


def gadget(order, version, width, counts, masses):
    n = sum(counts)
    real = {4: "f", 8: "d"}[width]
    integer = {4: "I", 8: "Q"}[width]

    def record(name, payload):
        length = struct.pack(order + "I", len(payload))
        data = length + payload + length
        if version == 2:
            head = struct.pack(order + "I", 8)
            data = head + name.encode() + struct.pack(order + "I", len(payload) + 8) + head + data
        return data

    header = struct.pack(order + "6i6d2d2i6i2id", *counts, *masses, 0.5, 1.0, 0, 0, *counts, 0, 1, 9.0)
    header += bytes(256 - len(header))
    with_mass = sum(c for c, m in zip(counts, masses) if m == 0)
    data = record("HEAD", header)
    data += record("POS ", struct.pack(f"{order}{3 * n}{real}", *range(3 * n)))
    data += record("VEL ", struct.pack(f"{order}{3 * n}{real}", *range(3 * n)))
    data += record("ID  ", struct.pack(f"{order}{n}{integer}", *range(n)))
    if with_mass:
        data += record("MASS", struct.pack(f"{order}{with_mass}{real}", *range(with_mass)))
    return data + record("U   ", bytes(4))


def genericio(order):
    """Checksums are left zero; the fuzzer repairs them."""
    variables = [("x", 1, 4), ("y", 1, 4), ("z", 1, 8), ("vx", 1, 4), ("id", 2, 8), ("mass", 1, 4)]
    blocks = [2, 0, 3]
    names_at = 168
    blocks_at = names_at + 272 * len(variables)
    header_bytes = blocks_at + 48 * len(blocks)
    data = b"HACC01L\0" if order == "<" else b"HACC01B\0"
    data += struct.pack(order + "12Q", header_bytes, sum(blocks), 3, 1, 1, len(variables), 272, names_at,
                        len(blocks), 48, blocks_at, 168)
    data += struct.pack(order + "6d2Q", 0, 0, 0, 8, 8, 8, 0, 0)
    for name, flags, width in variables:
        data += name.encode().ljust(256, b"\0") + struct.pack(order + "2Q", flags, width)
    start = header_bytes + 8
    row = sum(width for _, _, width in variables)
    for b, n in enumerate(blocks):
        data += struct.pack(order + "6Q", b, 0, 0, n, start, b)
        start += n * row + 8 * len(variables)
    return data + bytes(start - len(data))


def npy(descr, shape, fortran, count, version=1):
    width = int(descr[-1])
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    prefix = 10 if version == 1 else 12
    header += " " * (-(prefix + len(header) + 1) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header.encode() + bytes(count * width)


def idx(kind, code, sizes):
    count = 1
    for size in sizes:
        count *= size
    return (struct.pack(f">HBB{len(sizes)}I", 0, kind, len(sizes), *sizes)
            + struct.pack(f">{count}{code}", *range(count)))


def main():
    corpus = pathlib.Path(sys.argv[1])
    few, masses = (2, 1, 0, 0, 1, 1), (0, 2.5, 0, 0, 0, 0)
    seeds = {
        "tipsy": [tipsy(">", 32, (1, 2, 1)), tipsy("<", 28, (0, 3, 1)), tipsy(">", 32, (0, 0, 0))],
        "gadget": [gadget(order, version, width, few, masses)
                   for order in "<>" for version in (1, 2) for width in (4, 8)],
        "genericio": [genericio("<"), genericio(">")],
        "npy": [npy("<f4", "(2, 3)", False, 6), npy(">f8", "(2, 3)", True, 6), npy("<f4", "(2, 4)", False, 8, 2)],
        "csv": [b"x,y,z,mass\n1,2,3,4\n-5e-3,6,7,8\n", b"# comment\n1 2 3\n4 5 6\n", b"1;2;3\n"],
        "idx": [idx(0x08, "B", (3, 2, 2)), idx(0x0B, "h", (4,)), idx(0x0E, "d", (2, 3))],
        "csv_table": [b"lat,2\nlat,lon\n1,2\n3,4\n", b"2-3,1\n# a b c\n1 2 3\n4 5 6\n", b"\n1;2;3\n"],
        # Decisions, not a file: all of them ordinary.
        "hdf5": [bytes(400)],
    }
    for name, files in seeds.items():
        folder = corpus / f"fuzz_{name}"
        folder.mkdir(parents=True, exist_ok=True)
        for i, data in enumerate(files):
            (folder / f"seed{i}").write_bytes(data)


if __name__ == "__main__":
    main()
