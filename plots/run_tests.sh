#!/usr/bin/env bash
# The tests of plots/ ; exit status 77 (skipped) where no Python has what they need.
cd "$(dirname "$0")"
if ! python=$(../common/tools/python.sh); then
  echo "skipped: no Python with matplotlib and pandas"
  exit 77
fi
exec "$python" -m unittest discover -s . "$@"
