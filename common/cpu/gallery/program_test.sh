#!/usr/bin/env bash
# What bin/gallery answers and with which exit status.
#
#   program_test.sh PROGRAM
set -u
program=$1
failed=0
expect() { # expect STATUS TEXT ARGUMENT...: what it prints holds TEXT; a refusal is one line
  local status=$1 text=$2 printed
  shift 2
  printed=$("$program" "$@" 2>&1)
  local got=$?
  if [ $got != "$status" ] || [[ $printed != *"$text"* ]] ||
     { [ "$status" = 2 ] && [ "$(wc -l <<<"$printed")" != 1 ]; }; then
    echo "gallery $*: status $got, expected $status and '$text':"
    echo "$printed"
    failed=1
  fi
}

expect 0 "no_empty_wait" --list
expect 0 "likely cause: 128 expected bytes" expect_too_many
expect 0 "gallery/hopper.cuh:" release_in_flight --async mix
expect 0 "9676 of 9792 results are wrong" ldmatrix_row --async random:7
expect 1 "not noticed" release_in_flight --async late
expect 0 "64x64x64: " --time 64
expect 2 "no exhibit is called 'nope'" nope
expect 2 "'sometimes'" strides --async sometimes
expect 2 "needs the NAME" --async mix
expect 2 "--time 12:" --time 12
expect 2 "--time" --time 64,x
expect 0 "tma_multicast_bytes" --counters
expect 2 "needs --time or --counters" --json file.json
expect 2 "cannot be written" --time 64 --json /nonexistent/file.json
expect 2 "cannot be written" --counters --json /nonexistent/file.json
expect 2 "exclude each other" --list --markdown
expect 2 "exclude each other" --counters --time 64
expect 2 "--frobnicate" --frobnicate
exit $failed
