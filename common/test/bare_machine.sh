#!/usr/bin/env bash
# That `make bench` and `make test` work on a machine that has nothing but git and make: Debian in a
# folder of its own, as debootstrap makes it, with a clone of what is committed here. As root, on a
# Debian with debootstrap; takes half an hour of two cores. The mirrors are those that apt and pip of
# this machine are set up with.
#
#   bare_machine.sh [CASE...]      cases, all by default:
#     refused    an ordinary user on the bare machine is told in one line what to install
#     no_python  the same user, when root has installed that, but no Python: both run, without a chart
#     root       root: both install what they need, a CUDA compiler from NVIDIA's wheels included
#     offline    root, PyPI out of reach: one line, and the CPU backend alone
#
# BARE_ROOT=DIR keeps the bare system there, for the next time. Exit status 1 if anything fails.
set -u -o pipefail
project=$(cd "$(dirname "$0")/../.." && pwd)
suite=${BARE_SUITE:-bookworm}
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
bare=${BARE_ROOT:-$work/bare}
failed=0
fail() {
  printf 'FAIL  %s\n' "$@"
  failed=1
}
[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || {
  echo "bare_machine: needs root and debootstrap" >&2
  exit 2
}

make_bare() { # debootstrap's, with this machine's way to the network
  local mirror file
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $suite" | head -n 1)
  debootstrap --variant=minbase --include=git,make "$suite" "$bare" "$mirror" >"$work/log" 2>&1 ||
    { tail -n 5 "$work/log"; echo "bare_machine: debootstrap failed" >&2; exit 2; }
  rm -f "$bare/etc/apt/sources.list"
  cp -a /etc/apt/. "$bare/etc/apt/"
  for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do
    if [ -f "$file" ]; then cp -L "$file" "$bare$file"; fi
  done
  # Under another name: the package of certificates writes its own.
  if [ -f "${PIP_CERT-}" ]; then cp -L "$PIP_CERT" "$bare/etc/mirror.crt"; fi
  chroot "$bare" useradd --create-home --shell /bin/bash reader
}
settings=(LANG=C.UTF-8 TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin)
if [ -f "${PIP_CERT-}" ]; then settings+=(PIP_CERT=/etc/mirror.crt); fi
for name in http_proxy https_proxy no_proxy PIP_INDEX_URL PIP_EXTRA_INDEX_URL CI JOBS; do
  if [ -n "${!name-}" ]; then settings+=("$name=${!name}"); fi
done

# try USER STATUS COMMAND [TEXT...]: in the present machine; each text is somewhere in what is printed.
try() {
  local user=$1 wanted=$2 command=$3 begin=$SECONDS home=/root status text
  shift 3
  [ "$user" = root ] || home=/home/$user
  unshare --mount --pid --fork bash -c '
    mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$@"' \
    "$root" --userspec="$user:$user" "$root" env -i "HOME=$home" "${settings[@]}" \
    bash -c "cd /home/reader/book && { $command; }" >"$work/log" 2>&1 </dev/null
  status=$?
  echo "      $(basename "$root"), $command: exit status $status, $((SECONDS - begin)) s"
  [ "$status" = "$wanted" ] || fail "exit status $status, expected $wanted" "$(tail -n 30 "$work/log")"
  for text in "$@"; do
    grep -qF -- "$text" "$work/log" || fail "not said: $text" "$(tail -n 5 "$work/log")"
  done
}
silent() { [ ! -s "$work/log" ] || fail "still something to say: $(cat "$work/log")"; }
to_install() { sed -n 's/.*please run: sudo //p' "$work/log"; }
results() { echo "$root/home/reader/book/build/results"; }

refused() {
  for what in bench test; do
    # make itself says what it stops at, in a line of its own.
    try reader 2 "make $what" "setup: missing packages; please run: sudo apt-get install" libcli11-dev
    [ "$(grep -vc '^make' "$work/log")" = 1 ] || fail "more than one line: $(cat "$work/log")"
  done
  try root 0 "apt-get update && $(to_install)"
  try reader 0 "CUDA_WHEELS=no make setup"
  silent
}
no_python() {
  try reader 2 "make bench"
  try root 0 "apt-get update && $(to_install | sed -E 's/ python3[a-z0-9-]*//g') && ! command -v python3"
  try reader 0 "make bench" "charts are skipped" "no chart" "building the CPU backend alone"
  [ ! -e "$(results)/speedup.svg" ] || fail "a chart, made by whom?"
  [ -s "$(results)/bench.json" ] || fail "no result file"
  try reader 0 "make test" "100% tests passed"
}
root() {
  git config --file "$root/root/.gitconfig" --add safe.directory /home/reader/book
  try root 0 "make bench" "setup: installing g++" "building both backends"
  [ -s "$(results)/speedup.svg" ] || fail "no chart"
  try root 0 "make test" "100% tests passed"
  try root 0 "make setup"
  silent
}
offline() {
  try root 0 "PIP_INDEX_URL=http://127.0.0.1:9/simple make setup" "setup: no CUDA compiler (ERROR:"
  try root 0 "make setup"
  silent
  try root 0 'make build/CMakeCache.txt' "building the CPU backend alone"
}

[ -d "$bare" ] || make_bare
for case in ${@:-refused offline no_python root}; do
  case $case in
    refused | no_python | root | offline) ;;
    *) echo "bare_machine: there is no case '$case'" >&2 && exit 2 ;;
  esac
  root=$work/$case
  cp -a "$bare" "$root"
  git clone --quiet "$project" "$root/home/reader/book" || exit 2
  chroot "$root" chown -R reader:reader /home/reader/book
  "$case"
  rm -rf --one-file-system "$root"
done
[ $failed = 0 ] && echo "a bare machine will do"
exit $failed
