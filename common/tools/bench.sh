#!/usr/bin/env bash
# What `make bench` does after configuring: with a GPU, check and measure every chapter on it and draw
# the chart of that run; without one, run every chapter on the CPU backend (results checked, memory
# traffic counted) and draw the chart of the recorded run. Everything is written under BUILD/results.
#
#   bench.sh BUILD_DIR JOBS [ARGUMENTS OF bench...]
set -u -o pipefail
build=$1 jobs=$2
shift 2
here=$(dirname "$0")
results=$build/results
mkdir -p "$results"

chart() { # chart ARGUMENTS OF charts.py speedup...
  local python
  if ! python=$("$here/python.sh"); then
    echo "bench: no Python with matplotlib and pandas, so no chart (setup: $here/setup.sh)"
    return 0
  fi
  "$python" plots/charts.py speedup "$@" -o "$results/speedup.svg"
}

why="no GPU here"
if nvidia-smi -L 2>/dev/null | grep -q GPU; then
  why="built without CUDA"
  echo "bench: compiling every chapter"
  status=0
  "$here/build_target.sh" "$build" "$jobs" bench bench || status=$?
  if [ $status -gt 1 ]; then exit $status; fi
  if [ $status = 0 ]; then
    "$build/bin/bench" --check --bench --json "$results/burst.json" "$@" || exit $?
    echo
    echo "result file: $results/burst.json"
    chart "$results/burst.json"
    exit
  fi
fi

# One program after the other: first results while the rest has not been compiled yet.
echo "bench: $why, so no speeds: every chapter runs on the CPU backend, once that is compiled"
"$here/build_target.sh" "$build" "$jobs" bench bench_cpu || exit 2
"$build/bin/bench_cpu" --check --variant all "$@" || exit $?
echo
echo "bench: all results are right; next, the same kernels with every memory access counted"
"$here/build_target.sh" "$build" "$jobs" bench bench_traced || exit 2
"$build/bin/bench_cpu" --counters --variant all --size 256 --json "$results/cpu_counters.json" ||
  exit $?
echo "result file: $results/cpu_counters.json"
chart --recorded
