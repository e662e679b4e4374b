#!/usr/bin/env bash
# check-lambdas.sh BUILD: no extended lambda of a CUDA build is compiled into two object files.
#
# nvcc keeps the function pointers of a KOKKOS_LAMBDA per source file, but a template around it is
# shared by all files that instantiate it with the same arguments. The linker may then join the
# template of one file with the null pointers of another, and the program crashes on the host.
set -euo pipefail

twice=$(find "$1"/common "$1"/miniapps -name '*.o' | sort | while read -r object; do
  nm "$object" | awk '$2 ~ /[WVu]/ { print $3 }' | { grep nv_hdl_wrapper || true; } | sort -u
done | sort | uniq -d | c++filt | { grep -o 'copse::[A-Za-z_:]*' || true; } | sort | uniq -c |
  sort -rn)
if [ -n "$twice" ]; then
  echo "check-lambdas: compiled into several object files; make these kernels functors:"
  echo "$twice"
  exit 1
fi
echo "check-lambdas: every lambda is in one object file"
