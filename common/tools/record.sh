#!/usr/bin/env bash
# What `make record` does: the runs that README and pages show, into plots/results.
#
#   record.sh BUILD_DIR [RESULTS_DIR [PIECE...]]
#
# Pieces: cpu; with a GPU also burst, asides (adds rows to burst's file), counters, sustained, cold,
# timelines, sweep, every_shape. Without a name all that this machine can. ROUNDS: samples of each, or 7.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
tools=common/tools build=$1 out=${2:-plots/results} rounds=${ROUNDS:-7}
shift $(($# < 2 ? $# : 2))
mkdir -p "$out"
more=$(mktemp -d)
trap 'rm -r "$more"' EXIT
lessons=($(printf -- '--chapter %s ' $(dirname [0-9][0-9]_*/chapter.cu))) # as options
demonstrate() { # demonstrate NAME PROGRAM SUFFIX: each chapter that has this demonstration
  for file in [0-9][0-9]_*/"$1".cu; do
    "$build/bin/$2" --chapter "${file%/*}" --variant "$1" >"$out/$1_${file%%_*}$3.json"
  done
}
record_cpu() {
  "$build/bin/bench_cpu" --counters --variant all --size 256 --json "$out/cpu_counters.json"
  "$build/bin/every_shape_cpu" --counters --size 256 --json "$more/rows.json"
  python3 $tools/measured.py merge "$out/cpu_counters.json" "$more/rows.json"
  # Many tiles of C, as defaults that choose their tiles by size want them; K hardly matters to ratios.
  "$build/bin/bench_cpu" --counters "${lessons[@]}" --shape 4096x4096x128 \
    --json "$out/large_cpu_counters.json"
  "$build/bin/gallery" --counters --json "$out/gallery_cpu_counters.json"
  demonstrate running_example bench_cpu ""
  "$build/bin/bench_cpu" --variant tile_orders >"$out/tile_orders.json"
  # Problems of 4096 and 8192 with a sixteenth of their K and of an H200's L2.
  CPU_BACKEND_L2=$((60 * 1024 * 1024 / 16)) \
    "$build/bin/bench_cpu" --counters --chapter 09_* --variant all \
    --shape 4096x4096x256,8192x8192x512 --json "$out/l2_cpu_counters.json"
  "$build/bin/gallery" --time 512,1024 --json "$out/cpu_speed.json"
}

# measure NAME PROGRAM OPTION...: into DEVICE_NAME.json; of +NAME the rows are added to those there
measure() {
  local file=$out/${device}_${1#+}.json into=$more/rows.json
  if [[ $1 != +* ]]; then into=$file; fi
  "$build/bin/$2" --bench --rounds "$rounds" "${@:3}" --json "$into"
  if [ "$into" != "$file" ]; then python3 $tools/measured.py merge "$file" "$into"; fi
}
others=3072x3072x3072,6144x6144x6144,16384x16384x16384
layers=4096x14336x4096,4096x4096x14336,8192x28672x8192,8192x8192x1024

record_burst() {
  measure burst bench "${lessons[@]}" --variant all --size 4096,8192
  measure +burst bench "${lessons[@]}" --size 512,1024,2048,3072,6144,16384
  measure +burst every_shape --size 512,1024,2048,3072,4096,6144,8192,16384
  measure +burst every_shape --shape $layers
  measure +burst every_shape --dtype fp16 --size 3072,4096,6144,8192
  measure clusters bench --chapter 08_* --variant all \
    --shape 16384x16384x16384,128x8192x8192,8192x8192x1024
}
record_asides() {
  local -A problems=([tokens]="--size 4096,8192,16384" [split_k]="--shape 128x128x4096,256x256x8192")
  for name in $(basename -a $(dirname [0-9][0-9]_*/*/chapter.cu) | grep -vx -e every_shape -e n_major); do
    measure +burst "$name" --variant all ${problems[$name]---size 4096,8192}
  done
  measure n_major n_major --variant all --layout tt --size 4096,8192
}
record_counters() {
  for name in "" large_ gallery_ l2_; do
    python3 $tools/measured.py record "$build" "$out/${name}cpu_counters.json" \
      "$out/$name${device}_counters.json" \
      $([ "$name" != l2_ ] || echo 4096x4096x4096 8192x8192x8192)
  done
}
record_sustained() {
  measure sustained bench "${lessons[@]}" --mode sustained --size 4096,8192
  measure +sustained every_shape --mode sustained --size 4096,8192
}
record_cold() {
  measure cold every_shape --cold --shape "4096x4096x4096,8192x8192x8192,$layers,$others"
}
record_timelines() { demonstrate timeline bench "_$device"; }
today=$(date +%Y%m%d) # as a seed, which no tuning has seen
record_sweep() { measure "sweep_$today" every_shape --sweep "$today"; }
record_every_shape() {
  measure ablation every_shape --ablation --size 4096,8192
  measure tiles every_shape --variant by_size --variant 128x256_tma --shape "$others"
  for name in nn nt tt; do measure $name every_shape --layout $name --size 4096,8192; done
  for name in bias_relu alpha_beta; do measure $name every_shape --epilogue $name --size 4096,8192; done
  measure fp32_c every_shape --c-dtype fp32 --size 4096,8192
  measure skinny every_shape --variant by_size --variant no_trim --variant no_gpc_local \
    --variant no_promotion --shape 1x8192x8192,16x4096x4096,16x8192x28672,128x8192x8192,256x4096x4096,1024x1024x4096
  measure overlapped every_shape --variant by_size --variant overlapped --size 512,1024,1536,2048
}

pieces=(cpu)
if nvidia-smi -L 2>/dev/null | grep -q GPU; then
  [[ $(nvidia-smi --query-gpu=name --format=csv,noheader) =~ [A-Za-z]*[0-9][A-Za-z0-9]* ]]
  device=${BASH_REMATCH[0],,} # "NVIDIA H100 80GB HBM3" is h100
  pieces+=(burst asides sustained cold timelines sweep every_shape)
  if command -v ncu >/dev/null; then pieces+=(counters); fi
fi
for piece in "${@:-${pieces[@]}}"; do
  [[ " ${pieces[*]} " = *" $piece "* ]] ||
    { echo "record: there is no piece '$piece' here; pieces: ${pieces[*]}" >&2; exit 2; }
  echo "record: $piece"
  "record_$piece"
done
