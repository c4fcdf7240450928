#!/usr/bin/env bash
# What `make profile` does: builds a chapter and shows its counters, from ncu where there is a GPU.
#
#   profile.sh BUILD_DIR JOBS FOLDER [ARGUMENTS OF profile_chapter.py...]
set -eu
build=$1 jobs=$2 chapter=$(basename "$3")
shift 3
here=$(dirname "$0")
if ! command -v python3 >/dev/null; then
  echo "profile: needs python3; $build/bin/${chapter}_cpu --counters prints the raw counters" >&2
  exit 2
fi
"$here/build_target.sh" "$build" "$jobs" "$chapter"
exec python3 "$here/profile_chapter.py" "$build" "$chapter" "$@"
