#!/usr/bin/env bash
# Builds the CPU backend's tests for aarch64 with a cross compiler and runs them under qemu's user
# mode. Needs no aarch64 machine; packages on Debian and Ubuntu: g++-aarch64-linux-gnu, qemu-user.
#
#   cross_aarch64.sh [BUILD_DIR [JOBS [TEST_REGEX]]]
#
# Exit status 77, with a line that names what is missing, where it cannot run.
set -eu -o pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build-aarch64} jobs=${2:-$(nproc)} tests=${3:-'^cpu_runtime'}
compiler=aarch64-linux-gnu-g++
libraries=/usr/aarch64-linux-gnu

skip() {
  echo "cross_aarch64: $1 is not installed; on Debian and Ubuntu: apt-get install $2"
  exit 77
}
command -v "$compiler" >/dev/null || skip "$compiler" g++-aarch64-linux-gnu
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) || skip qemu-aarch64 qemu-user
# Catch2 version 2 is headers alone; version 3 would have to be built for aarch64 too.
[ -e /usr/include/catch2/catch.hpp ] || skip "Catch2 version 2 (headers)" catch2

mkdir -p "$build"
cmake -S "$root" -B "$build" -DLADDER_CUDA=OFF -DCMAKE_SYSTEM_NAME=Linux \
  -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_CROSSCOMPILING_EMULATOR="$emulator;-L;$libraries" >"$build/configure.log" 2>&1 ||
  { cat "$build/configure.log"; exit 1; }
cd "$build"
targets=$(ctest -N -R "$tests" | sed -n 's/.*Test *#[0-9]*: //p')
[ -n "$targets" ] || { echo "cross_aarch64: no test matches '$tests'"; exit 1; }
# shellcheck disable=SC2086
cmake --build . -j "$jobs" --target $targets >build.log 2>&1 || { tail -n 40 build.log; exit 1; }
ctest -R "$tests" --output-on-failure
