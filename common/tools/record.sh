#!/usr/bin/env bash
# What `make record` does: the runs that README and chapter pages show, into plots/results. On a GPU
# the speeds in both modes, every variant, and ncu's counters; on any machine the counters of the CPU
# backend and the time its launches take.
#
#   record.sh BUILD_DIR [RESULTS_DIR]
#
# ROUNDS=15 for fifteen samples of each; 3 without it.
set -eu
build=$1 out=${2:-plots/results}
mkdir -p "$out"
tools=$(dirname "$0")
"$build/bin/bench_cpu" --counters --variant all --size 256 --json "$out/cpu_counters.json"
"$build/bin/gallery" --counters --json "$out/gallery_cpu_counters.json"
timeline() { # timeline PROGRAM DEVICE OPTION...: in chapters 07 to 09
  local program=$1 device=$2 chapter
  shift 2
  for chapter in 07_warp_specialized 08_cluster_multicast 09_hilbert_schedule; do
    "$program" --chapter $chapter --variant timeline "$@" >"$out/timeline_${chapter%%_*}_$device.json"
  done
}
timeline "$build/bin/bench_cpu" cpu --async mix
"$build/bin/bench_cpu" --variant tile_orders >"$out/tile_orders.json"
"$build/bin/schedules" 05_swizzle_pipeline >"$out/tile_orders_05.json"
"$build/bin/schedules" 07_warp_specialized >"$out/tile_orders_07.json"
# Problems of 4096 and 8192 with a sixteenth of their K and of an H200's L2.
CPU_BACKEND_L2=$((60 * 1024 * 1024 / 16)) \
  "$build/bin/bench_cpu" --counters --chapter 09_hilbert_schedule --variant row_major \
  --variant groups --variant wide --variant hilbert --variant no_reversal --variant no_policies \
  --variant tall \
  --shape 4096x4096x256,8192x8192x512 --json "$out/l2_cpu_counters.json"
"$build/bin/gallery" --time 512,1024 --json "$out/cpu_speed.json"
if nvidia-smi -L 2>/dev/null | grep -q GPU; then
  device=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1 |
           sed -E 's/^NVIDIA //; s/[^A-Za-z0-9]+/_/g' | tr '[:upper:]' '[:lower:]')
  burst=$out/${device}_burst.json more=$(mktemp -d) rounds=${ROUNDS:-3}
  measure() { "$build/bin/bench" --bench --untuned --rounds "$rounds" "$@"; }
  measure --variant all --size 4096,8192 --json "$burst"
  # More sizes, and what some pages show beside: few tiles of C, short sums, layers of models.
  others=3072x3072x3072,6144x6144x6144,16384x16384x16384
  layers=4096x14336x4096,4096x4096x14336,8192x28672x8192,8192x8192x1024
  measure --size 512,1024,2048,3072,6144,16384 --json "$more/sizes.json"
  measure --chapter 08_cluster_multicast --chapter 09_hilbert_schedule --shape $layers \
    --json "$more/layers.json"
  measure --chapter 05_swizzle_pipeline --variant by_size --variant split_k \
    --variant split_k_fused --shape 128x128x4096,256x256x8192 --json "$more/split.json"
  measure --chapter 08_cluster_multicast --variant by_size --variant cluster_2x1 \
    --variant alone --variant no_multicast --variant medium_2x1 --variant medium_alone \
    --variant small_alone --shape 16384x16384x16384,128x8192x8192,8192x8192x1024 \
    --json "$out/${device}_clusters.json"
  measure --dtype fp16 --chapter 08_cluster_multicast \
    --chapter 09_hilbert_schedule --size 3072,4096,6144,8192 --json "$more/fp16.json"
  "$tools/merge_results.py" "$burst" "$more"/*.json
  rm -r "$more"
  if command -v ncu >/dev/null; then
    ncu_counters=$tools/ncu_counters.py
    python3 "$ncu_counters" "$build" "$out/cpu_counters.json" "$out/${device}_counters.json"
    python3 "$ncu_counters" "$build" "$out/l2_cpu_counters.json" "$out/l2_${device}_counters.json" \
      4096x4096x4096 8192x8192x8192
    if [ -x "$build/bin/gallery_cuda" ]; then
      python3 "$ncu_counters" "$build" "$out/gallery_cpu_counters.json" \
        "$out/gallery_${device}_counters.json"
    fi
  fi
  measure --mode sustained --size 2048,4096,8192 \
    --json "$out/${device}_sustained.json"
  measure --cold --chapter 08_cluster_multicast --chapter 09_hilbert_schedule \
    --shape "4096x4096x4096,8192x8192x8192,$layers,$others" --json "$out/${device}_cold.json"
  timeline "$build/bin/bench" "$device"
  # Chapter 09's default over layers of models of 7 to 70 billion parameters, from one token to many,
  # and over sizes that are not round; then what it can do besides.
  sweep=512x512x512,1000x1000x1000,1024x1024x1024,1536x1536x1536,2048x2048x2048,4000x4000x4000
  sweep+=,4097x4093x4088,5000x3000x7000,$others,8192x8192x8192
  sweep+=,128x8192x8192,8192x8192x1024,8192x28672x8192
  for layer in 4096x4096 14336x4096 4096x14336 1024x4096 8192x8192 28672x8192 8192x28672 1024x8192; do
    for tokens in 1 16 64 256 1024 4096; do sweep+=,${tokens}x$layer; done
  done
  for layer in 4096x4096 14336x4096 8192x8192 1024x8192; do sweep+=,512x$layer; done
  for layer in 4096x4096 1024x4096 1024x8192; do sweep+=,16384x$layer; done
  chapter09() { # chapter09 NAME OPTION...
    local name=$1
    shift
    "$build/bin/09_hilbert_schedule" --bench --untuned --rounds "$rounds" "$@" \
      --json "$out/${device}_$name.json"
  }
  chapter09 ablation --variant all --size 4096,8192
  tiles="--variant by_size --variant wide --variant not_aligned --variant large --variant square"
  chapter09 tiles $tiles --variant broad --shape "$others"
  chapter09 sweep --shape "$sweep"
  for layout in nn nt tt; do chapter09 $layout --layout $layout --size 4096,8192; done
  for epilogue in bias_relu alpha_beta; do
    chapter09 $epilogue --epilogue $epilogue --size 4096,8192
  done
  chapter09 fp32_c --c-dtype fp32 --size 4096,8192
  chapter09 skinny --variant by_size --variant no_trim --variant no_patches \
    --shape 1x8192x8192,16x4096x4096,16x8192x28672,128x8192x8192,256x4096x4096,1024x1024x4096
  chapter09 overlapped --variant by_size --variant overlapped --size 512,1024,1536,2048
fi
