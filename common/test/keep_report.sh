#!/usr/bin/env bash
# Runs a compiler and keeps what it says in a file, for the compile gate. Passes on what is not a mere
# report of ptxas.
#
#   keep_report.sh REPORT COMMAND...
set -u
report=$1
shift
"$@" >"$report" 2>&1
status=$?
grep -vE '^ptxas info|^ +[0-9]+ bytes stack frame' "$report" >&2
exit $status
