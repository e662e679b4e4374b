#!/usr/bin/env bash
# Draws the pictures of the README from runs of the mini-apps, in about half a minute:
#
#   docs/pictures/draw.sh BUILD/bin
set -euo pipefail
bin=$1
here=$(cd "$(dirname "$0")" && pwd)
perf=$here/../../perf
# The distribution's Python first, because it has the required packages.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$bin/orb" --generate nfw --particles 2e6 --leaves 64 --repeat 1 --quiet --output "$scratch/tree.h5"
"$bin/fof" --generate nfw --particles 2e6 --repeat 1 --quiet --output "$scratch/haloes.h5"
"$bin/collide" --generate cs267 --particles 300 --steps 240 --save-every 8 --repeat 1 --quiet \
  --output "$scratch/collide.h5"
slice=(--slice 0.5 --thickness 0.3 --bare)
"$python" "$perf/plot_orb.py" "$scratch/tree.h5" --axes xy "${slice[@]}" -o "$here/domains.jpg"
"$python" "$perf/plot_fof.py" "$scratch/haloes.h5" --matter "$scratch/tree.h5" "${slice[@]}" \
  -o "$here/haloes.jpg"
"$python" "$perf/plot_collide.py" "$scratch/collide.h5" --size 200 -o "$here/contacts.gif"
