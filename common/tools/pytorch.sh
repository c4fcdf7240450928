#!/usr/bin/env bash
# What `make pytorch` does: builds the library of every_shape for PyTorch and tests the operator, on the GPU
# if there is one for it, otherwise on the CPU backend. Exit status 77 where no Python has PyTorch.
#
#   pytorch.sh BUILD_DIR [ARGUMENTS OF test_linear.py...]
set -eu
build=$(cd "$1" && pwd)
shift
here=$(dirname "$0")
if ! python=$("$here/python.sh" torch); then
  echo "skipped: no Python with PyTorch"
  exit 77
fi
if ! cmake --build "$build" -j 2 --target linear_pytorch >"$build/pytorch.log" 2>&1; then
  tail -n 40 "$build/pytorch.log" >&2
  exit 2
fi
LINEAR_LIBRARIES=$build/lib exec "$python" \
  "$here/../../09_hilbert_schedule/every_shape/pytorch/test_linear.py" "$@"
