#!/usr/bin/env bash
# What `make plots` does: figures and README tables from the recorded results.
#
#   plots.sh BUILD_DIR
set -eu
here=$(dirname "$0")
if ! python=$("$here/python.sh"); then
  echo "plots: no Python with matplotlib, pandas and tabulate: figures and tables stay as they are"
  exit 0
fi
tool=()
if [ -x "$1/bin/layout" ]; then tool=(--layout-tool "$1/bin/layout"); fi
exec "$python" plots/make.py "${tool[@]}"
