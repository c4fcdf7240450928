#!/usr/bin/env bash
# The C interface with a C compiler: example.c is right on the CPU backend, and on a GPU where
# libevery_shape.so has been built; without one it says so in one line and exits with 3.
#
#   test_c.sh BUILD_DIR
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")"
../../common/tools/build_target.sh "$build" 2 every_shape_library_cpu
compile() { # compile LIBRARY
  "${CC:-cc}" -std=c99 -pedantic -Wall -Wextra -Werror -I. example.c -o "$build/lib/example_$1" \
    -L"$build/lib" -Wl,-rpath,"$build/lib" "-l$1" -lm
}
compile every_shape_cpu
"$build/lib/example_every_shape_cpu"
[ -e "$build/lib/libevery_shape.so" ] || exit 0
compile every_shape
status=0
line=$("$build/lib/example_every_shape" 2>&1) || status=$?
echo "$line"
if nvidia-smi -L 2>/dev/null | grep -q GPU; then
  [ $status = 0 ]
else
  [ $status = 3 ] && [ "$(wc -l <<<"$line")" = 1 ] && [[ $line == *"no CUDA device"* ]]
fi
