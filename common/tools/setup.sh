#!/usr/bin/env bash
# Makes sure that everything the build needs is there. As root on Debian or Ubuntu it installs what
# is missing; elsewhere it prints the command that would. Where there is no CUDA compiler, NVIDIA's
# wheels bring one into .venv (cuda_wheels.sh), if they can be had. Quiet when nothing is missing.
set -u
here=$(dirname "$0")

missing=()
need() { # need PACKAGE TEST...: the test's failure means that the package is missing
  "${@:2}" >/dev/null 2>&1 || missing+=("$1")
}
have_header() { # by name alone: compiling all of it takes seconds
  printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | "${CXX:-c++}" -E -x c++ -
}

need g++ have_header version
need cmake cmake --version
need make make --version
need git git --version
need libcli11-dev have_header CLI/CLI.hpp
need nlohmann-json3-dev have_header nlohmann/json.hpp
have_header catch2/catch_all.hpp >/dev/null 2>&1 || need catch2 have_header catch2/catch.hpp
required=${#missing[@]} # without these nothing can be built
"$here/python.sh" >/dev/null 2>&1 ||
  missing+=(python3 python3-matplotlib python3-pandas python3-tabulate)
"$here/cuda_wheels.sh" --wanted && need python3-venv python3 -c 'import ensurepip'

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
  echo "setup: no Python with matplotlib, pandas and tabulate: charts are skipped (sudo $install)"
fi
"$here/cuda_wheels.sh"
