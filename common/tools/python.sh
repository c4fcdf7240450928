#!/usr/bin/env bash
# Runs a script of plots/ with a Python 3 that has what it needs, or says that there is none; without a
# script prints that Python's name, or has exit status 1.
#
#   python.sh [SCRIPT.py ARGUMENT...]      MODULES in the environment: needed, or else those of plots/
modules=${MODULES:-matplotlib,pandas}
root=$(cd "$(dirname "$0")/../.." && pwd)
for python in "$root/.venv/bin/python3" python3 /usr/bin/python3; do
  if "$python" -c "import $modules" >/dev/null 2>&1; then
    [ $# = 0 ] || exec "$python" "plots/$1" "${@:2}"
    command -v "$python"
    exit
  fi
done
[ $# != 0 ] || exit 1
echo "$1: no Python with ${modules//,/, }, so no charts and tables (setup: make setup)"
