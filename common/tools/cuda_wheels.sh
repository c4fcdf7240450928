#!/usr/bin/env bash
# Where there is no CUDA compiler: gets one, with headers and cuBLAS, from the wheels that NVIDIA puts
# on PyPI, into .venv; cmake/house.cmake looks for it in .venv/cuda. Where that fails, one line says why,
# and the CPU backend is built alone; the next try is an hour later. They take 1 GB; CUDA_WHEELS=no in
# the environment does without.
#
#   cuda_wheels.sh [--wanted]      --wanted: only whether there is something to get, as exit status
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
venv=$root/.venv cuda=$root/.venv/cuda
failed=$venv/no_cuda_wheels

# One release: a compiler and headers of different ones may not go together. It takes driver 580.
wheels=(nvidia-cuda-nvcc==13.0.* nvidia-nvvm==13.0.* nvidia-cuda-crt==13.0.* nvidia-cuda-runtime==13.0.*
        nvidia-cuda-cccl==13.0.* nvidia-cublas==13.1.*)

wanted() {
  [ "${CUDA_WHEELS-}" != no ] && [ ! -x "$cuda/bin/nvcc" ] && [ ! -x "${CUDACXX:-/usr/local/cuda/bin/nvcc}" ] &&
    ! command -v "${CUDACXX:-nvcc}" >/dev/null && [ -z "$(find "$failed" -mmin -60 2>/dev/null)" ]
}
if ! wanted; then [ "${1-}" != --wanted ]; exit; fi
[ "${1-}" != --wanted ] || exit 0

give_up() {
  echo "setup: no CUDA compiler ($1): building the CPU backend alone"
  exit 0
}
command -v python3 >/dev/null || give_up "and no Python to get NVIDIA's wheels with"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [ ! -x "$venv/bin/pip" ]; then
  python3 -m venv --system-site-packages "$venv" >"$log" 2>&1 ||
    give_up "and python3 -m venv fails; on Debian the package is python3-venv"
fi
echo "setup: no CUDA compiler; getting NVIDIA's wheels into .venv (1 GB)"
"$venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 "${wheels[@]}" >"$log" 2>&1 ||
  { : >"$failed" && give_up "pip: $(sed -n 's/^ERROR: //p' "$log" | head -n 1)"; }
nvcc=$(echo "$venv"/lib/python3*/site-packages/nvidia/cu13/bin/nvcc)
[ -x "$nvcc" ] || give_up "NVIDIA's wheels hold none"
found=${nvcc%/bin/nvcc}
# What wheels leave out: the names that a linker looks for.
for library in cudart cublas cublasLt; do
  ln -sfn "lib$library.so.13" "$found/lib/lib$library.so"
done
ln -sfn lib "$found/lib64"
ln -sfn "$found" "$cuda"
