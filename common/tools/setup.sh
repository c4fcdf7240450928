#!/usr/bin/env bash
# Makes sure that everything the build needs is there. As root on Debian or Ubuntu it installs what
# is missing; elsewhere it prints the command that would. Says in one line what the build will be.
# Quiet when nothing is missing.
set -u

missing=()
need() { # need PACKAGE TEST...: the test's failure means that the package is missing
  local package=$1
  shift
  "$@" >/dev/null 2>&1 || missing+=("$package")
}
have_header() { echo "#include <$1>" | ${CXX:-c++} -std=c++20 -fsyntax-only -x c++ - ; }

need g++ have_header version
need cmake cmake --version
need make make --version
need git git --version
if [ ${#missing[@]} -eq 0 ] || command -v "${CXX:-c++}" >/dev/null 2>&1; then
  need libcli11-dev have_header CLI/CLI.hpp
  need nlohmann-json3-dev have_header nlohmann/json.hpp
  if ! have_header catch2/catch_all.hpp >/dev/null 2>&1; then
    need catch2 have_header catch2/catch.hpp
  fi
else
  missing+=(libcli11-dev nlohmann-json3-dev catch2)
fi
python=$("$(dirname "$0")/python.sh" 2>/dev/null) || missing+=(python3 python3-matplotlib)

if [ ${#missing[@]} -gt 0 ]; then
  install="apt-get install -y --no-install-recommends ${missing[*]}"
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "setup: installing ${missing[*]}"
    log=$(mktemp)
    if ! { apt-get update && DEBIAN_FRONTEND=noninteractive $install; } >"$log" 2>&1; then
      tail -n 5 "$log" >&2
      echo "setup: could not install; try: $install" >&2
      exit 2
    fi
    rm -f "$log"
  elif [ "${missing[*]}" = "python3 python3-matplotlib" ]; then
    echo "setup: no Python with matplotlib: charts are skipped (sudo $install)"
  else
    echo "setup: missing packages; please run: sudo $install" >&2
    exit 2
  fi
fi
