#!/usr/bin/env bash
# What `make gallery` does: builds and shows the bug gallery, and writes its table into
# common/cpu/README.md. With arguments it runs bin/gallery with them instead.
#
#   gallery.sh BUILD_DIR JOBS [ARGUMENT...]
set -eu
build=$1 jobs=$2
shift 2
if ! cmake --build "$build" -j "$jobs" --target gallery >"$build/build.log" 2>&1; then
  tail -n 40 "$build/build.log" >&2
  exit 2
fi
if [ $# -gt 0 ]; then exec "$build/bin/gallery" "$@"; fi
"$build/bin/gallery"
table=$(mktemp)
trap 'rm -f "$table"' EXIT
"$build/bin/gallery" --markdown >"$table"
if python=$("$(dirname "$0")/python.sh"); then
  "$python" plots/tables.py --gallery "$table"
else
  echo "gallery: no Python with pandas and tabulate, so its table in common/cpu/README.md stays"
fi
