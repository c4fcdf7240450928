#!/usr/bin/env bash
# Builds the programs NAME, NAME_cpu and NAME_traced, as many of them as this build has, quietly; or
# only those that are named behind it. Status 1 when a named one is not part of this build.
#
#   build_target.sh BUILD_DIR JOBS NAME [PROGRAM...]
set -eu
build=$1 jobs=$2 name=$3
shift 3
known=$(cmake --build "$build" --target help)
has() { grep -qE "(\.\.\. |^)$1(:|$)" <<<"$known"; }
targets=("$@")
if [ $# = 0 ]; then
  targets=("${name}_cpu" "${name}_traced")
  if has "$name"; then targets+=("$name"); fi
fi
for target in "${targets[@]}"; do has "$target" || exit 1; done
if ! cmake --build "$build" -j "$jobs" --target "${targets[@]}" >"$build/build.log" 2>&1; then
  tail -n 40 "$build/build.log" >&2
  exit 2
fi
