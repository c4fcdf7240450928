#!/usr/bin/env bash
# What `make pytorch` does: builds every_shape's library for PyTorch and tests the operator, on the GPU
# if there is one for it, otherwise on the CPU backend. Exit status 77 where no Python has PyTorch.
#
#   pytorch.sh BUILD_DIR [ARGUMENTS OF test_linear.py...]
set -eu
build=$(cd "$1" && pwd)
here=$(dirname "$0")
python=$(MODULES=torch "$here/python.sh") || { echo "skipped: no Python with PyTorch" && exit 77; }
library=linear_cpu
if nvidia-smi -L 2>/dev/null | grep -q GPU; then library=linear_pytorch; fi
"$here/build_target.sh" "$build" 2 $library
LINEAR_LIBRARIES=$build/lib exec "$python" \
  "$here"/../../[0-9][0-9]_*/every_shape/pytorch/test_linear.py "${@:2}"
