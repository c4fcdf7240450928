#!/usr/bin/env bash
# What `make fuzz` does: over 100,000 command lines and damaged files, thrown at every program on the CPU
# backend, built with AddressSanitizer and UndefinedBehaviorSanitizer, and at the scripts. The program
# that counts, which is compiled for hooks of its own, goes without sanitizers. Some ten minutes of
# two cores, once it is built.
#
#   run.sh BUILD_DIR [SEED]
set -eu -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 seed=${2:-1}
jobs=$(nproc)
flags="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
mkdir -p "$build"
if ! { cmake -S "$here/../../.." -B "$build/fuzz" -DHOUSE_CUDA=OFF "-DCMAKE_CXX_FLAGS=$flags" &&
  cmake --build "$build/fuzz" -j "$jobs" --target fuzz_all &&
  cmake --build "$build" -j "$jobs" --target fuzz_traced; } >"$build/fuzz.log" 2>&1; then
  tail -n 40 "$build/fuzz.log" >&2
  exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
one() { # one LOG COMMAND...: its output, and a mark when it fails
  local log=$1
  shift
  "$@" >"$log" 2>&1 || : >"$log.failed"
}
python=$("$here/../../tools/python.sh") || python=python3
{
  echo "$work/scripts $python $here/fuzz_scripts.py 10000 $seed"
  for program in "$build"/fuzz/tests/fuzz_* "$build/tests/fuzz_traced"; do
    name=${program##*/fuzz_}
    seed=$((seed + 1)) # or chapters would be given the same
    case $name in
      gallery) count=2000 ;; # whose exhibits take longer
      traced) count=4000 ;;
      layout) count=40000 ;;
      *) count=8000 ;;
    esac
    echo "$work/$name $program $count $seed"
  done
} >"$work/commands"
while read -r log command; do
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
  one "$log" $command &
done <"$work/commands"
wait
for log in $(cut -d ' ' -f 1 "$work/commands"); do sed "s|^fuzz:|${log##*/}:|" "$log"; done
if ls "$work"/*.failed >/dev/null 2>&1; then exit 1; fi
cat "$work"/* | sed -nE 's/^[a-z]+: ([0-9]+) inputs.*/\1/p' | awk '{n += $1} END {print n " inputs, no rule broken"}'
