#!/usr/bin/env bash
# What `make plots` does: figures and README tables from the recorded results.
#
#   plots.sh BUILD_DIR
set -eu
here=$(dirname "$0")
python=$("$here/python.sh") || python=python3
tool=()
if [ -x "$1/bin/layout" ]; then tool=(--layout-tool "$1/bin/layout"); fi
exec "$python" plots/make.py "${tool[@]}"
