#!/usr/bin/env bash
# Runs a script of plots/ with a Python that has what it needs, or says that there is none.
#
#   plot.sh SCRIPT.py [ARGUMENT...]
here=$(dirname "$0")
if python=$("$here/python.sh"); then exec "$python" "plots/$1" "${@:2}"; fi
echo "$1: no Python with matplotlib, pandas and tabulate, so no charts and tables (setup: $here/setup.sh)"
