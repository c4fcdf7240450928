#!/usr/bin/env bash
# What `make fuzz` does: over 100,000 command lines, thrown at every program on the CPU backend, built with
# AddressSanitizer and UndefinedBehaviorSanitizer. The program that counts, which is compiled for hooks
# of its own, goes without sanitizers. Some ten minutes of two cores, once it is built.
#
#   run.sh BUILD_DIR [SEED]
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 seed=${2:-1}
jobs=$(nproc) flags="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
mkdir -p "$build"
if ! { cmake -S "$here/../../.." -B "$build/fuzz" -DLADDER_CUDA=OFF "-DCMAKE_CXX_FLAGS=$flags" &&
  cmake --build "$build/fuzz" -j "$jobs" --target fuzz_all &&
  cmake --build "$build" -j "$jobs" --target fuzz_traced; } >"$build/fuzz.log" 2>&1; then
  tail -n 40 "$build/fuzz.log" >&2
  exit 2
fi
for program in "$build"/fuzz/tests/fuzz_* "$build/tests/fuzz_traced"; do
  seed=$((seed + 1)) # or chapters would be given the same
  case $program in
    *_gallery | *_traced) count=2000 ;; # which take longer
    *_layout) count=40000 ;;
    *) count=9000 ;;
  esac
  echo "$program $count $seed"
done | xargs -P "$jobs" -L 1 bash -c '
  said=$("$@" 2>&1) || status=1
  echo "${1##*/fuzz_}, $said"
  exit ${status-0}' one | tee "$build/fuzz.log"
sed -nE 's/.*: ([0-9]+) inputs of seed.*/\1/p' "$build/fuzz.log" |
  awk '{n += $1} END {print n " inputs, no rule broken"}'
