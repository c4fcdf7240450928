#!/usr/bin/env bash
# Prints a Python 3 that has the modules: the project's .venv, python3 on PATH, the system's. Exit status
# 1 when there is none.
#
#   python.sh [MODULE,...]      matplotlib,pandas,tabulate if none is named
modules=${1:-matplotlib,pandas,tabulate}
root=$(cd "$(dirname "$0")/../.." && pwd)
for python in "$root/.venv/bin/python3" python3 /usr/bin/python3; do
  if command -v "$python" >/dev/null 2>&1 && "$python" -c "import $modules" >/dev/null 2>&1; then
    command -v "$python"
    exit 0
  fi
done
exit 1
