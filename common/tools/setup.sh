#!/usr/bin/env bash
# Makes sure that everything the build needs is there. As root on Debian or Ubuntu it installs what
# is missing; elsewhere it prints the command that would. Where there is no CUDA compiler, NVIDIA's
# wheels bring one into .venv (cuda_wheels.sh), if they can be had. Quiet when nothing is missing.
set -u
here=$(dirname "$0")

missing=()
need() { # need PACKAGE TEST...: the test's failure means that the package is missing
  local package=$1
  shift
  "$@" >/dev/null 2>&1 || missing+=("$package")
}
have_header() { # by name alone: compiling all of it takes seconds
  printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | "${CXX:-c++}" -E -x c++ - ; }

need g++ have_header version
need cmake cmake --version
need make make --version
need git git --version
if [ ${#missing[@]} -eq 0 ] || command -v "${CXX:-c++}" >/dev/null 2>&1; then
  need libcli11-dev have_header CLI/CLI.hpp
  need nlohmann-json3-dev have_header nlohmann/json.hpp
  have_header catch2/catch_all.hpp >/dev/null 2>&1 || need catch2 have_header catch2/catch.hpp
else
  missing+=(libcli11-dev nlohmann-json3-dev catch2)
fi
required=${#missing[@]} # without these nothing can be built
"$here/python.sh" >/dev/null 2>&1 ||
  missing+=(python3 python3-matplotlib python3-pandas python3-tabulate)
"$here/cuda_wheels.sh" --wanted && need python3-venv python3 -c 'import ensurepip'

if [ ${#missing[@]} -gt 0 ]; then
  install="apt-get install -y --no-install-recommends ${missing[*]}"
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "setup: installing ${missing[*]}"
    log=$(mktemp)
    if ! { apt-get update && DEBIAN_FRONTEND=noninteractive $install; } >"$log" 2>&1; then
      tail -n 5 "$log" >&2
      rm -f "$log"
      echo "setup: could not install; try: $install" >&2
      [ "$required" = 0 ] || exit 2
    fi
    rm -f "$log"
  elif [ "$required" -gt 0 ]; then
    echo "setup: missing packages; please run: sudo $install" >&2
    exit 2
  elif [[ " ${missing[*]} " == *" python3-pandas "* ]]; then
    echo "setup: no Python with matplotlib, pandas and tabulate: charts are skipped (sudo $install)"
  fi
fi
"$here/cuda_wheels.sh"
