#!/usr/bin/env bash
# The demonstration: partitions a clustered universe, finds its haloes, computes its gravity and
# lets particles collide, verifies the results, draws domains, haloes and field, and makes a film.
# Domains and haloes are made on every backend of this build, which are compared, and again for a
# real snapshot if COPSE_DATA_DIR names a folder that contains one.
#
#   demo.sh ORB_EXECUTABLE FOF_EXECUTABLE GRAVITY_EXECUTABLE COLLIDE_EXECUTABLE OUTPUT_FOLDER [PARTICLES]
#
# PARTICLES, 2000000 by default and 10000 at least, is the size of the universe. Gravity takes a
# quarter of them, and as many collide as there are thousands.
set -euo pipefail
orb=$1
fof=$2
gravity=$3
collide=$4
output=$5
particles=${6:-2000000}
if ! [[ $particles =~ ^[0-9]{5,}$ ]]; then
  echo "demo.sh: PARTICLES must be a whole number of at least 10000, not '$particles'" >&2
  exit 2
fi
perf=$(cd "$(dirname "$0")/../perf" && pwd)
plot=$perf/plot_orb.py
# The distribution's Python first, because it has the required packages.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
mkdir -p "$output"

echo "== $particles particles in NFW haloes, 64 domains =="
"$orb" --generate nfw --particles "$particles" --leaves 64 --all-backends --repeat 3 --verify \
  --output "$output/nfw.h5" --json "$output/nfw.json"
"$python" "$plot" "$output/nfw.h5" -o "$output/nfw.png"
echo "picture: $output/nfw.png"

echo "== their haloes =="
"$fof" --generate nfw --particles "$particles" --all-backends --repeat 3 --verify \
  --output "$output/haloes.h5" --json "$output/haloes.json"
"$python" "$perf/plot_fof.py" "$output/haloes.h5" --matter "$output/nfw.h5" -o "$output/haloes.png"
echo "picture: $output/haloes.png"

echo "== the gravity of $((particles / 4)) such particles =="
"$gravity" --generate nfw --particles $((particles / 4)) --softening 0.001 --repeat 1 --verify \
  --targets 1000 --output "$output/fields.h5" --json "$output/fields.json"
"$python" "$perf/plot_gravity.py" "$output/fields.h5" -o "$output/fields.png"
echo "picture: $output/fields.png"

echo "== $((particles / 1000)) particles that repel each other =="
"$collide" --generate cs267 --particles $((particles / 1000)) --steps 1000 --save-every 10 \
  --repeat 1 --verify --output "$output/collide.h5" --json "$output/collide.json"
"$python" "$perf/plot_collide.py" "$output/collide.h5" -o "$output/collide.gif"
echo "film: $output/collide.gif"

snapshot=${COPSE_DATA_DIR:-}/abacus/mini_n64_l32_z0.std
if [ -n "${COPSE_DATA_DIR:-}" ] && [ -f "$snapshot" ]; then
  echo "== a real snapshot: $(basename "$snapshot"), 64 domains =="
  "$orb" --input "$snapshot" --leaves 64 --all-backends --repeat 3 --verify \
    --output "$output/snapshot.h5" --json "$output/snapshot.json"
  "$python" "$plot" "$output/snapshot.h5" -o "$output/snapshot.png"
  echo "picture: $output/snapshot.png"
  "$fof" --input "$snapshot" --periodic 1 --all-backends --repeat 3 --verify \
    --output "$output/snapshot_haloes.h5" --json "$output/snapshot_haloes.json"
  "$python" "$perf/plot_fof.py" "$output/snapshot_haloes.h5" --matter "$output/snapshot.h5" \
    -o "$output/snapshot_haloes.png"
  echo "picture: $output/snapshot_haloes.png"
fi
