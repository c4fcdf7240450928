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

say() { printf '%s\n' "$*"; }
fail() {
  say "FAIL  $*"
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

machine() { # machine NAME: a fresh one, with the project in reader's home
  root=$work/$1
  cp -a "$bare" "$root"
  git clone --quiet "$project" "$root/home/reader/book" || exit 2
  chroot "$root" chown -R reader:reader /home/reader/book
}

settings=(LANG=C.UTF-8 TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin)
if [ -f "${PIP_CERT-}" ]; then settings+=(PIP_CERT=/etc/mirror.crt); fi
for name in http_proxy https_proxy no_proxy PIP_INDEX_URL PIP_EXTRA_INDEX_URL CI JOBS; do
  if [ -n "${!name-}" ]; then settings+=("$name=${!name}"); fi
done

# try USER NAME COMMAND: in the present machine; sets status and log, and says how long it took.
try() {
  local user=$1 name=$2 command=$3 begin=$SECONDS home=/root
  log=$work/$(basename "$root")_${name// /_}.log
  [ "$user" = root ] || home=/home/$user
  unshare --mount --pid --fork bash -c '
    mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$@"' \
    "$root" --userspec="$user:$user" "$root" env -i "HOME=$home" "${settings[@]}" \
    bash -c "cd /home/reader/book && { $command; }" >"$log" 2>&1 </dev/null
  status=$?
  say "      $(basename "$root"), $name: exit status $status, $((SECONDS - begin)) s"
}
expect() { # expect STATUS TEXT...: of the last try; every text is somewhere in what was printed
  local wanted=$1 text
  shift
  if [ "$status" != "$wanted" ]; then
    fail "exit status $status, expected $wanted"
    tail -n 30 "$log"
  fi
  for text in "$@"; do
    grep -qF -- "$text" "$log" || fail "not said: $text (see below)" "$(tail -n 5 "$log")"
  done
}
show() { grep -E "$1" "$log" | sed 's/^/        /'; }
tested() { # of the last try, which was make test
  expect 0 "100% tests passed"
  show 'tests passed|Total Test time'
  say "        skipped: $(grep -c 'Skipped' "$log") lines"
}

refused() {
  machine refused
  for what in bench test; do
    try reader "make $what" "make $what"
    # make itself says what it stops at, in a line of its own.
    expect 2 "setup: missing packages; please run: sudo apt-get install" libcli11-dev
    [ "$(grep -vc '^make' "$log")" = 1 ] || fail "more than one line: $(cat "$log")"
  done
  show setup:
  command=$(sed -n 's/.*please run: sudo //p' "$log")
  try root "the command" "apt-get update && $command"
  expect 0
  try reader "make setup" "CUDA_WHEELS=no make setup"
  expect 0
  [ ! -s "$log" ] || fail "still something to say: $(cat "$log")"
}

no_python() {
  machine no_python
  try reader "make bench" "make bench"
  command=$(sed -n 's/.*please run: sudo //p' "$log" | sed -E 's/ python3[a-z0-9-]*//g')
  try root "the command without Python" "apt-get update && $command && ! command -v python3"
  expect 0
  try reader "make bench" "make bench"
  expect 0 "charts are skipped" "no chart" "building the CPU backend alone"
  show 'setup:|chart'
  [ ! -e "$root/home/reader/book/build/results/speedup.svg" ] || fail "a chart, made by whom?"
  [ -s "$root/home/reader/book/build/results/cpu_counters.json" ] || fail "no result file"
  try reader "make test" "make test"
  tested
}

root() {
  machine root
  git config --file "$root/root/.gitconfig" --add safe.directory /home/reader/book
  try root "make bench" "make bench"
  expect 0 "setup: installing g++" "building both backends"
  show 'setup:|CUDA .* for|result file'
  [ -s "$root/home/reader/book/build/results/speedup.svg" ] || fail "no chart"
  try root "make test" "make test"
  tested
  try root "make setup" "make setup"
  expect 0
  [ ! -s "$log" ] || fail "still something to say: $(cat "$log")"
}

offline() {
  machine offline
  try root "make setup" "PIP_INDEX_URL=http://127.0.0.1:9/simple make setup"
  expect 0 "setup: no CUDA compiler (pip:" "building the CPU backend alone"
  show setup:
  try root "make setup again" "make setup"
  expect 0
  [ ! -s "$log" ] || fail "still something to say: $(cat "$log")"
  try root "configure" 'make build/CMakeCache.txt'
  expect 0 "building the CPU backend alone"
}

[ -d "$bare" ] || make_bare
for case in ${@:-refused offline no_python root}; do
  case $case in
    refused | no_python | root | offline) ;;
    *) echo "bare_machine: there is no case '$case'" >&2 && exit 2 ;;
  esac
  say "case  $case"
  begin=$SECONDS
  "$case"
  say "      $((SECONDS - begin)) s in all"
  rm -rf --one-file-system "$root"
done
[ $failed = 0 ] && say "a bare machine will do"
exit $failed
