#!/usr/bin/env bash
# Checks that every C++ file under version control is formatted as .clang-format says;
# with --fix, formats them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Newer versions of clang-format break some lines differently; version 14 is authoritative.
formatter=$(command -v clang-format-14 || command -v clang-format) || {
  echo "check-format: clang-format is not installed" >&2
  exit 2
}
mapfile -d '' files < <(git ls-files -z '*.cpp' '*.hpp')
if [ ${#files[@]} -eq 0 ]; then exit 0; fi
if [ "${1:-}" = --fix ]; then
  "$formatter" -i "${files[@]}"
else
  "$formatter" --dry-run -Werror "${files[@]}"
  echo "check-format: ${#files[@]} files are formatted"
fi
