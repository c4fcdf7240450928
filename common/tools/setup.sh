#!/usr/bin/env bash
# Makes sure that everything the build needs is there. As root on Debian or Ubuntu it installs what is
# missing; elsewhere it prints the command that would. Where there is no CUDA compiler, NVIDIA's wheels on
# PyPI bring one into .venv/cuda. Where that fails, one line says why, and the CPU backend is built alone;
# the next try is an hour later. CUDA_WHEELS=no does without. Quiet when nothing is missing.
set -u
here=$(dirname "$0")
venv=$(cd "$here/../.." && pwd)/.venv
failed=$venv/no_cuda_wheels
missing=()
need() { # need PACKAGE TEST...: the test's failure means that the package is missing
  "${@:2}" >/dev/null 2>&1 || missing+=("$1")
}
have_header() { # by name alone: compiling all of it takes seconds
  printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | "${CXX:-c++}" -E -x c++ -
}
need g++ have_header version
for tool in cmake make git; do need $tool $tool --version; done
need libcli11-dev have_header CLI/CLI.hpp
need nlohmann-json3-dev have_header nlohmann/json.hpp
have_header catch2/catch_all.hpp >/dev/null 2>&1 || need catch2 have_header catch2/catch.hpp
required=${#missing[@]} # without these nothing can be built
"$here/python.sh" >/dev/null 2>&1 || missing+=(python3 python3-matplotlib python3-pandas)
get_cuda=no
if [ "${CUDA_WHEELS-}" != no ] && [ -z "$(find "$failed" -mmin -60 2>/dev/null)" ] &&
  ! command -v "$venv/cuda/bin/nvcc" "${CUDACXX:-/usr/local/cuda/bin/nvcc}" "${CUDACXX:-nvcc}" >/dev/null; then
  get_cuda=yes
  need python3-venv python3 -c 'import ensurepip'
fi

install="apt-get install -y --no-install-recommends ${missing[*]}"
if [ ${#missing[@]} -gt 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "setup: installing ${missing[*]}"
  if ! said=$({ apt-get update && DEBIAN_FRONTEND=noninteractive $install; } 2>&1); then
    tail -n 5 <<<"$said" >&2
    echo "setup: could not install; try: $install" >&2
    [ "$required" = 0 ] || exit 2
  fi
elif [ "$required" -gt 0 ]; then
  echo "setup: missing packages; please run: sudo $install" >&2
  exit 2
elif [[ " ${missing[*]} " == *" python3-matplotlib "* ]]; then
  echo "setup: no Python with matplotlib and pandas: charts are skipped (sudo $install)"
fi
[ $get_cuda = yes ] || exit 0

# One release: a compiler and headers of different ones may not go together. It takes driver 580.
wheels=(nvidia-{cuda-nvcc,nvvm,cuda-crt,cuda-runtime,cuda-cccl}"==13.0.*" "nvidia-cublas==13.1.*")
echo "setup: no CUDA compiler; getting NVIDIA's wheels into .venv (1 GB)"
said=$({ [ -x "$venv/bin/pip" ] || python3 -m venv --system-site-packages "$venv"; } 2>&1 &&
  "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 "${wheels[@]}" 2>&1)
nvcc=$(compgen -G "$venv/lib/python3*/site-packages/nvidia/cu13/bin/nvcc")
if [ ! -x "$nvcc" ]; then
  echo "setup: no CUDA compiler (${said##*$'\n'}): building the CPU backend alone"
  mkdir -p "$venv" && touch "$failed"
  exit 0
fi
found=${nvcc%/bin/nvcc}
for library in cudart cublas cublasLt; do # what wheels leave out: the names that a linker looks for
  ln -sfn "lib$library.so.13" "$found/lib/lib$library.so"
done
ln -sfn lib "$found/lib64"
ln -sfn "$found" "$venv/cuda"
