#!/usr/bin/env bash
# Where there is no CUDA compiler: gets one, with headers and cuBLAS, from the wheels that NVIDIA puts
# on PyPI, into .venv; cmake/ladder.cmake looks for it in .venv/cuda. Where that fails, one line says why,
# and the CPU backend is built alone; the next try is an hour later. They take 1 GB; CUDA_WHEELS=no in
# the environment does without.
#
#   cuda_wheels.sh [--wanted]      --wanted: only whether there is something to get, as exit status
set -u
venv=$(cd "$(dirname "$0")/../.." && pwd)/.venv
failed=$venv/no_cuda_wheels

# One release: a compiler and headers of different ones may not go together. It takes driver 580.
wheels=(nvidia-cuda-nvcc==13.0.* nvidia-nvvm==13.0.* nvidia-cuda-crt==13.0.* nvidia-cuda-runtime==13.0.*
        nvidia-cuda-cccl==13.0.* nvidia-cublas==13.1.*)

for compiler in "$venv/cuda/bin/nvcc" "${CUDACXX:-/usr/local/cuda/bin/nvcc}" "${CUDACXX:-nvcc}"; do
  if command -v "$compiler" >/dev/null; then exit $#; fi
done
if [ "${CUDA_WHEELS-}" = no ] || [ -n "$(find "$failed" -mmin -60 2>/dev/null)" ]; then exit $#; fi
[ $# = 0 ] || exit 0

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "setup: no CUDA compiler; getting NVIDIA's wheels into .venv (1 GB)"
{ [ -x "$venv/bin/pip" ] || python3 -m venv --system-site-packages "$venv"; } >"$log" 2>&1 &&
  "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 "${wheels[@]}" >>"$log" 2>&1
nvcc=$(compgen -G "$venv/lib/python3*/site-packages/nvidia/cu13/bin/nvcc")
if [ ! -x "$nvcc" ]; then
  why=$(sed -n 's/^ERROR: /pip: /p' "$log" | head -n 1)
  echo "setup: no CUDA compiler (${why:-$(tail -n 1 "$log")}): building the CPU backend alone"
  mkdir -p "$venv" && : >"$failed"
  exit 0
fi
found=${nvcc%/bin/nvcc}
# What wheels leave out: the names that a linker looks for.
for library in cudart cublas cublasLt; do
  ln -sfn "lib$library.so.13" "$found/lib/lib$library.so"
done
ln -sfn lib "$found/lib64"
ln -sfn "$found" "$venv/cuda"
