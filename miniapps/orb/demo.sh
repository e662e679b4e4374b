#!/usr/bin/env bash
# The demonstration: partitions a clustered universe on every backend of this build, checks the
# result, compares the backends and draws the domains. Also partitions a real snapshot if
# COPSE_DATA_DIR names a folder that has one.
#
#   demo.sh ORB_EXECUTABLE OUTPUT_FOLDER
set -euo pipefail
orb=$1
output=$2
plot=$(cd "$(dirname "$0")/../../perf" && pwd)/plot_orb.py
# The distribution's Python first: it is the one that has the packages.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
export OMP_PROC_BIND=${OMP_PROC_BIND:-spread} OMP_PLACES=${OMP_PLACES:-threads}
mkdir -p "$output"

echo "== 2 million particles in NFW haloes, 64 domains =="
"$orb" --generate nfw --particles 2e6 --leaves 64 --all-backends --repeat 3 --verify \
  --output "$output/nfw.h5" --json "$output/nfw.json"
"$python" "$plot" "$output/nfw.h5" -o "$output/nfw.png"
echo "picture: $output/nfw.png"

snapshot=${COPSE_DATA_DIR:-}/abacus/mini_n64_l32_z0.std
if [ -n "${COPSE_DATA_DIR:-}" ] && [ -f "$snapshot" ]; then
  echo "== a real snapshot: $(basename "$snapshot"), 64 domains =="
  "$orb" --input "$snapshot" --leaves 64 --all-backends --repeat 3 --verify \
    --output "$output/snapshot.h5" --json "$output/snapshot.json"
  "$python" "$plot" "$output/snapshot.h5" -o "$output/snapshot.png"
  echo "picture: $output/snapshot.png"
fi
