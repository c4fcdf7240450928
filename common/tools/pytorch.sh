#!/usr/bin/env bash
# What `make pytorch` does: builds every_shape's libraries and the PyTorch package in BUILD_DIR/pytorch, and
# tests it, on the GPU or the CPU backend. Exit status 77 where no Python has PyTorch.
#
#   pytorch.sh BUILD_DIR [ARGUMENTS OF test_linear.py...]
set -eu
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
python=$(MODULES=torch,setuptools "$here/python.sh") || { echo "skipped: no Python with PyTorch" && exit 77; }
libraries=(every_shape_library_cpu)
if nvidia-smi -L 2>/dev/null | grep -q GPU; then libraries+=(every_shape_library); fi
"$here/build_target.sh" "$build" "$(nproc)" "${libraries[@]}"
cd "$here"/../../[0-9][0-9]_*/every_shape/pytorch
EVERY_SHAPE_LIBRARIES=$build/lib "$python" setup.py -q egg_info --egg-base "$build" build \
  --build-base "$build/pytorch" --build-lib "$build/pytorch" >"$build/pytorch.log" 2>&1 ||
  { tail -n 40 "$build/pytorch.log" >&2 && exit 2; }
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$build/pytorch exec "$python" test_linear.py "${@:2}"
