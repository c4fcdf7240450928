#!/usr/bin/env bash
# What `make bench` does after configuring: with a GPU, check and measure every chapter on it and draw
# the chart of that run; without one, run every chapter on the CPU backend (results checked, memory
# traffic counted) and draw the chart of the recorded run. Everything is written under BUILD/results.
#
#   bench.sh BUILD_DIR JOBS [ARGUMENTS OF bench...]
set -eu -o pipefail
build=$1 jobs=$2
here=$(dirname "$0")
results=$build/results
mkdir -p "$results"

if ! nvidia-smi -L 2>/dev/null | grep -q GPU; then
  why="no GPU here"
elif ! cmake --build "$build" --target help | grep -qw bench; then
  why="built without CUDA"
else
  echo "bench: compiling every chapter"
  "$here/build_target.sh" "$build" "$jobs" bench every_shape
  "$build/bin/bench" --check --bench --json "$results/burst.json" "${@:3}"
  printf '\nresult file: %s\n' "$results/burst.json"
  exec "$here/python.sh" charts.py speedup "$results/burst.json" -o "$results/speedup.svg"
fi

# One program after the other: first results while the rest has not been compiled yet.
echo "bench: $why, so no speeds: every chapter runs on the CPU backend, once that is compiled"
"$here/build_target.sh" "$build" "$jobs" bench_cpu
"$build/bin/bench_cpu" --check --variant all "${@:3}"
printf '\nbench: all results are right; next, the same kernels with every memory access counted\n'
"$here/build_target.sh" "$build" "$jobs" bench_traced
"$build/bin/bench_cpu" --counters --variant all --size 256 --json "$results/cpu_counters.json"
echo "result file: $results/cpu_counters.json"
"$here/python.sh" charts.py speedup --recorded -o "$results/speedup.svg"
