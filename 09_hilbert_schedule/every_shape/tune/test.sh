#!/usr/bin/env bash
# every_shape_tune refuses in one line what it cannot do. On a GPU it times two shapes: twelve
# tilings each, in a file that fit.py takes.
#
#   test.sh BUILD_DIR
set -eu
tune=$1/bin/every_shape_tune
[ -x "$tune" ] || { echo "skipped: only make build compiles it"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
file=$folder/tune.json
ends_with() { # ends_with STATUS ARGUMENT...: and with one line
  local expected=$1 status=0 line
  line=$("$tune" "${@:2}" 2>&1) || status=$?
  echo "$line"
  [ "$status" = "$expected" ] && [ "$(wc -l <<<"$line")" = 1 ] && [ ! -e "$file" ]
}
ends_with 2
ends_with 2 --size 64
ends_with 2 --json "$file"
ends_with 2 --size 64 --json "$file" --bench
if ! nvidia-smi -L 2>/dev/null | grep -q GPU; then
  ends_with 3 --size 64 --json "$file"
  exit 0
fi
ends_with 2 --size 64x64x100 --json "$file" # rows of 200 bytes
ends_with 2 --size 64x100x64 --json "$file" # every tiling would store alike
for layout in tn nt; do
  "$tune" --size 256,24x1024x512 --layout $layout --json "$file"
  python3 - "$file" <<'PYTHON'
import collections, json, sys
rows = json.load(open(sys.argv[1]))["rows"]
shapes = collections.Counter((row["m"], row["n"], row["k"]) for row in rows)
assert shapes == {(256, 256, 256): 12, (24, 1024, 512): 12}, shapes
assert len({row["variant"] for row in rows}) >= 12 and all(row["gflops_median"] > 0 for row in rows)
PYTHON
  rm "$file"
done
