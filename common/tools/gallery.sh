#!/usr/bin/env bash
# What `make gallery` does: builds and shows the bug gallery, and writes its table into
# common/cpu/README.md. With arguments it runs bin/gallery with them instead.
#
#   gallery.sh BUILD_DIR JOBS [ARGUMENT...]
set -eu
build=$1
"$(dirname "$0")/build_target.sh" "$build" "$2" gallery gallery
shift 2
if [ $# -gt 0 ]; then exec "$build/bin/gallery" "$@"; fi
"$build/bin/gallery"
"$build/bin/gallery" --markdown >"$build/gallery.md"
python3 plots/tables.py --gallery "$build/gallery.md"
