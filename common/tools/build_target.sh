#!/usr/bin/env bash
# Builds the programs NAME, NAME_cpu and NAME_traced, as many of them as this build has, quietly.
#
#   build_target.sh BUILD_DIR JOBS NAME [cpu]      cpu: not the one for a GPU
set -eu
build=$1 jobs=$2 name=$3
targets=("${name}_cpu" "${name}_traced")
known=$(cmake --build "$build" --target help)
if [ "${4-}" != cpu ] && grep -qE "(\.\.\. |^)$name(:|$)" <<<"$known"; then targets+=("$name"); fi
if ! cmake --build "$build" -j "$jobs" --target "${targets[@]}" >"$build/build.log" 2>&1; then
  tail -n 40 "$build/build.log" >&2
  exit 2
fi
