#!/usr/bin/env bash
# Builds targets quietly:   build_target.sh BUILD_DIR JOBS TARGET...
if ! cmake --build "$1" -j "$2" --target "${@:3}" -- --no-print-directory >"$1/build.log" 2>&1; then
  tail -n 40 "$1/build.log" >&2
  exit 2
fi
