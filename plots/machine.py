"""Chapter 01's machine: the memory hierarchy from HBM to the tensor cores, and waves of blocks.

The L2's size and the copy bandwidth are those of the recorded runs. HBM: NVIDIA's data sheets of
H100 SXM and H200. Shared memory and registers: CUDA C++ Programming Guide,
compute capability 9.0 (32 banks of 4 bytes). The L2's bytes per cycle: NVIDIA's A100 whitepaper,
since none is published for Hopper. Tensor cores: the H100 whitepaper's dense bf16 rate. Latencies,
rounded to tens: L2 291 and HBM 700 cycles on an H100 SXM (github.com/markdewing/AI_kernels,
latency/README.md); shared memory 29.9 cycles on an H100 NVL (github.com/caps-tum/mt4g,
results/H100NVL.json).
"""

from math import ceil

import cli
import style
from style import MARGIN_IN, MUTED, PHONE_IN, TEXT_PT, box, word

SMS, CLOCK_GHZ = 132, 1.98
L2_BYTES_PER_CYCLE, SMEM_BYTES_PER_CYCLE = 5120, 128
HBM_GB, HBM_TB_S = {"h100": 80, "h200": 141}, {"h100": 3.35, "h200": 4.8}
FLOP_PER_CYCLE = 4096  # of an SM's four tensor cores
ROWS, COLS = 11, 12  # the SMs as a grid


def _levels() -> list[tuple[str, str, str]]:
    """Each level's name, its size, and its bandwidth with its latency."""
    files = [cli.ROOT / f"plots/results/{name}_burst.json" for name in HBM_TB_S]
    runs = [cli.read_json(path) for path in files]
    l2 = " / ".join(f"{run['device']['l2_bytes'] >> 20}" for run in runs)
    copied = " / ".join(f"{run['ceilings']['copy_gbs'] / 1e3:.2f}" for run in runs)
    hbm, rates = (" / ".join(map(str, of.values())) for of in (HBM_GB, HBM_TB_S))
    per_sm = HBM_TB_S["h200"] * 1e3 / SMS / CLOCK_GHZ
    all_smem = SMS * SMEM_BYTES_PER_CYCLE * CLOCK_GHZ / 1e3
    flops = SMS * FLOP_PER_CYCLE * CLOCK_GHZ / 1e3
    return [
        ("GMEM: HBM", f"{hbm} GB", f"{rates} TB/s, copy measured: {copied}\n"
         f"{per_sm:.0f} B/cycle for each SM (H200); latency 700 cycles"),
        ("L2", f"{l2} MB", f"{L2_BYTES_PER_CYCLE} B/cycle (A100), "
         f"{L2_BYTES_PER_CYCLE / SMS:.0f} B/cycle for each SM\nlatency 290 cycles"),
        ("SMEM", "228 KB", f"{SMEM_BYTES_PER_CYCLE} B/cycle; {all_smem:.0f} TB/s in all SMs\n"
         "latency 30 cycles"),
        ("registers", "256 KB", "64 K of 32 bits, at most 255\nof a thread"),
        ("tensor cores", "4", f"{FLOP_PER_CYCLE} FLOP/cycle, bf16\n{flops:.0f} TFLOPS in all SMs"),
    ]  # fmt: skip


def memory_hierarchy():
    fig, sheet = style.phone_figure(
        7.8, "The memory hierarchy", "Numbers with / between them: H100 / H200 (SXM).",
        f"B/cycle and TB/s at {1000 * CLOCK_GHZ:.0f} MHz. (01): the chapter that uses it.",
    )  # fmt: skip
    left, inner, right, high, gap = MARGIN_IN, 0.62, PHONE_IN - MARGIN_IN, 0.74, 0.52
    tops = [0.92 + i * (high + gap) + 0.18 * (i > 1) for i in range(5)]
    spans = [(left, right), (left, right), (inner, right - 0.1), (left + 0.1, right - 0.62),
             (inner, right - 0.1)]  # fmt: skip
    frame = (left, tops[2] - 0.3, right - left, tops[4] + high + 0.1 - tops[2] + 0.3)
    box(sheet, *frame, "#f1f2f4", MUTED, 0.8)
    word(sheet, right - 0.1, tops[2] - 0.15, f"one of {SMS} SMs", ha="right", weight="bold")
    for (name, size, words), top, (begin, end), strength in zip(
        _levels(), tops, spans, (0.15, 0.3, 0.45, 0.6, 0.95)
    ):
        color = style.tint(style.TEAL, strength)
        ink = style.text_on(color)
        box(sheet, begin, top, end - begin, high, color)
        look = dict(weight="bold", color=ink)
        word(sheet, begin + 0.1, top + 0.16, name, TEXT_PT, ha="left", **look)
        word(sheet, end - 0.1, top + 0.16, size, TEXT_PT, ha="right", **look)
        word(sheet, begin + 0.1, top + 0.47, words, ha="left", color=ink, linespacing=1.35)
    for i, words, x in (
        (0, "the L2 reads sectors of 32 bytes that miss", 1.3),
        (1, "cp.async (05), TMA (06 to 09)", 1.3),
        (2, "ld.shared (02, 03)\nldmatrix (04, 05)", 2.55),
        (3, "mma.sync (04, 05)", 1.3),
    ):
        style.arrow(sheet, (x, tops[i] + high + 0.02), (x, tops[i + 1] - 0.02))
        y = (tops[i] + high + tops[i + 1]) / 2 - (0.16 if i == 1 else 0)
        word(sheet, x + 0.08, y, words, ha="left", linespacing=1.3)
    style.arrow(sheet, (1.3, tops[3] - 0.02), (1.3, tops[2] + high + 0.02))
    word(sheet, 1.38, tops[3] - gap / 2, "st.shared\n(02 to 04)", ha="left", linespacing=1.3)
    style.arrow(sheet, (0.42, tops[1] + high + 0.02), (0.42, tops[3] - 0.02))
    upright = dict(rotation=90, va="center")
    word(sheet, 0.28, tops[2] + high / 2, "ld.global (01-04)", **upright)
    x = right - 0.38
    style.arrow(sheet, (x, tops[2] + high + 0.02), (x, tops[4] - 0.02), color=style.HIGHLIGHT)
    look = dict(color=style.HIGHLIGHT, **upright)
    word(sheet, x + 0.18, tops[3] + high / 2, "wgmma reads SMEM (06-09)", **look)
    style.add_small_print(fig, "Latencies: measured by others, H100 SXM (SMEM: H100 NVL).",
                          "C: st.global (01 to 08; 05 through SMEM), TMA (09).",
                          "01 to 03: FFMA on registers; its units are not drawn.")  # fmt: skip
    return fig


def waves():
    cases = ((4096, 4096), (2304, 2304), (1024, 2048))
    fig, sheet = style.phone_figure(
        5.4, "Waves, and wave quantization",
        f"A square is an SM ({SMS} of them); coloured: it has a tile of 128 x 256.",
        "A block fills an SM. A wave is what all SMs compute at one time.",
    )  # fmt: skip
    cell = 0.082
    room = (PHONE_IN - 2 * MARGIN_IN - 4 * COLS * cell) / 3
    for number, (m, n) in enumerate(cases):
        top, tiles = 1.0 + 1.5 * number, ceil(m / 128) * ceil(n / 256)
        count = ceil(tiles / SMS)
        busy = f"SMs busy: {100 * tiles / SMS / count:.0f}%"
        words = f"C {m} x {n}: {tiles} tiles, {tiles / SMS:.2f} waves"
        word(sheet, MARGIN_IN, top, words, TEXT_PT, ha="left", weight="bold")
        word(sheet, PHONE_IN - MARGIN_IN, top, busy, ha="right", color=style.HIGHLIGHT)
        for wave in range(count):
            left, at = MARGIN_IN + wave * (COLS * cell + room), top + 0.16
            mine = min(SMS, tiles - wave * SMS)
            for sm in range(SMS):
                row, col = divmod(sm, COLS)
                color = style.TEAL if sm < mine else style.FAINT
                box(sheet, left + col * cell, at + row * cell, cell, cell, color, "white", 0.6)
            word(sheet, left + COLS * cell / 2, at + ROWS * cell + 0.11, f"wave {wave}: {mine}")
    return fig
