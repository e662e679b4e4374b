"""check_api.py ROOT: interface pages contain the documentation of the headers."""

import pathlib
import sys

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "docs"))
from bookmaker import api  # noqa: E402

HEADER = r'''#pragma once
/// \file
/// What it is.
///
/// - one,
///   and more of it
///
/// The value is
///   x = a
///     + b
/// with both.
#include <x>
namespace copse {
/// A pair of `Real`s. \returns itself
/// \throws InputError if it is odd
template <class T>
struct Pair {
  T a;       ///< first
  T hidden;
  /// The sum. O(1). \throws InputError never
  /// \returns both added
  KOKKOS_FUNCTION T sum(int count,
                        int other) const { return a; }
};
void undocumented();
}  // namespace copse
'''
opening, entries = api.header(HEADER)
assert opening == ("What it is.\n\n- one,\n  and more of it\n\nThe value is\n\n    x = a\n      + b\n\nwith both."), opening
(pair, comment, members), (total, total_comment, _) = entries
assert pair == "template <class T>\nstruct Pair", pair
assert "`Real`s. Returns itself.\n" in comment and "Throws `InputError` if it is odd." in comment and "///< first" in members
assert "hidden" not in members
assert total.startswith("// Pair\nKOKKOS_FUNCTION T sum(int count,"), total
assert total.rstrip().endswith("const"), total
assert "O(1).\n\nThrows `InputError` never." in total_comment and "Returns both added." in total_comment, total_comment

made = api.pages(root)
for folder in (root / "common/copse").iterdir():
    if folder.is_dir():
        page = made[f"{folder.name}.md"]
        for header in folder.rglob("*.hpp"):
            if "detail" not in header.parts:
                assert f"`{header.relative_to(root)}`" in page, header
assert "unite" in made["algorithms.md"] and "parent(i) <= i" in made["algorithms.md"]
