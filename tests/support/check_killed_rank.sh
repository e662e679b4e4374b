#!/bin/bash
# check_killed_rank.sh <scratch file> <mpiexec> <numproc flag> <program> <arguments of a long run>
# A killed rank must end the whole job with a message and a nonzero exit code; the other ranks must
# not hang in a collective.
set -u
log=$1 mpiexec=$2 numproc=$3 program=$4
shift 4
timeout 100 "$mpiexec" "$numproc" 3 "$program" "$@" >"$log" 2>&1 &
job=$!

children() { cat /proc/"$1"/task/*/children 2>/dev/null; }
ranks() {
  for launcher in $(children $job); do
    for child in $(children "$launcher"); do
      [ "$(cat /proc/"$child"/comm 2>/dev/null)" = "$(basename "$program")" ] && echo "$child"
    done
  done
}
for _ in $(seq 200); do
  [ "$(ranks | wc -l)" = 3 ] && break
  sleep 0.1
done
if [ "$(ranks | wc -l)" != 3 ]; then
  echo "SKIP: the ranks are no children of the job's launcher"
  kill $job
  exit 0
fi
sleep 2 # wait until they exchange particles
mapfile -t all < <(ranks)
kill -KILL "${all[1]}"
wait $job
code=$?
echo "the job ended with code $code"
cat "$log"
if [ $code = 0 ] || [ $code = 124 ]; then
  echo "FAILED: expected a code that is neither 0 nor that of a time-out"
  exit 1
fi
if ! [ -s "$log" ]; then
  echo "FAILED: expected a message"
  exit 1
fi
for rank in "${all[@]}"; do
  for _ in $(seq 50); do
    [ -d /proc/"$rank" ] || break
    sleep 0.1
  done
  if [ -d /proc/"$rank" ]; then
    echo "FAILED: rank $rank is still there"
    exit 1
  fi
done
