#!/usr/bin/env bash
# What `make bench` does after configuring: checks and measures every chapter on the GPU and draws the chart of
# that run, or without one checks and counts on the CPU backend, and draws the recorded run. Into BUILD/results.
#
#   bench.sh BUILD_DIR JOBS [ARGUMENTS OF bench...]
set -eu -o pipefail
build=$1 jobs=$2
shift 2
here=$(dirname "$0")
results=$build/results
mkdir -p "$results"
programs=(bench every_shape) # a program of its own, which knows nothing of the names of others
if [[ " $*" =~ " --"(chapter|variant) ]]; then programs=(bench); fi

measure() { # measure SUFFIX OPTION...: with all programs, into one result file
  for program in "${programs[@]}"; do
    "$build/bin/$program$1" "${@:2}" --leave-out --json "$results/$program.json"
  done
  if [ -n "${programs[1]-}" ] && command -v python3 >/dev/null; then
    python3 "$here/measured.py" merge "$results"/{bench,every_shape}.json
  fi
  printf '\nresult file: %s\n' "$results/bench.json"
}

if nvidia-smi -L 2>/dev/null | grep -q GPU && cmake --build "$build" --target help | grep -qw bench; then
  echo "bench: compiling every chapter"
  "$here/build_target.sh" "$build" "$jobs" "${programs[@]}"
  if [[ ! " $*" =~ " --s"(ize|hape) ]]; then set -- --size 1024,2048,4096,8192 "$@"; fi
  measure "" --check --bench "$@"
  exec "$here/python.sh" charts.py speedup "$results/bench.json" -o "$results/speedup.svg"
fi

# One program after the other: first results while the rest has not been compiled yet.
echo "bench: no GPU here, or no CUDA, so no speeds: every chapter runs on the CPU backend, once that is compiled"
for program in "${programs[@]}"; do
  "$here/build_target.sh" "$build" "$jobs" "${program}_cpu"
  "$build/bin/${program}_cpu" --check --variant all "$@"
done
printf '\nbench: all results are right; next, the same kernels with every memory access counted\n'
"$here/build_target.sh" "$build" "$jobs" "${programs[@]/%/_traced}"
measure _cpu --counters --variant all --size 256
"$here/python.sh" charts.py speedup --recorded -o "$results/speedup.svg"
