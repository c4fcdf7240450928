#!/usr/bin/env bash
# The tests of plots/ with a Python that has matplotlib; exit status 77 (skipped) where there is none.
cd "$(dirname "$0")"
if ! python=$(../common/tools/python.sh); then
  echo "skipped: no Python with matplotlib"
  exit 77
fi
exec "$python" -m unittest discover -s . "$@"
