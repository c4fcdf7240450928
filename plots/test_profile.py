"""`make profile`: the counters of a page in its words, from ncu or from the CPU backend."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import results
import synthetic

PROFILE = results.ROOT / "common" / "tools" / "profile_chapter.py"
sys.path.insert(0, str(PROFILE.parent))

import ncu_counters  # noqa: E402
import profile_chapter  # noqa: E402

# What a kernel of 4096 x 4096 x 4096 might count, by ncu's names.
NCU = {
    "global_store_requests": 131072,
    "global_store_sectors": 1048576,
    "tma_shared_bytes": 1610612736,
    "l2_read_sectors": 50331648,
    "dram_read_bytes": 104857600,
    "tensor_flops": 2 * 4096**3,
    "sm_cycles": 132 * 300000,
    "smem_bank_reads": 20 * 132 * 300000,
    "smem_bank_writes": 12 * 132 * 300000,
}
MORE = {
    "gpu__time_duration.sum": 200000,
    "sm__cycles_elapsed.max": 320000,
}
FAKE_NCU = """#!/usr/bin/env python3
import csv, json, os, sys
values = json.loads(os.environ["VALUES"])
if not values:
    print("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission")
    sys.exit(1)
arguments = sys.argv[1:]
metrics = arguments[arguments.index("--metrics") + 1].split(",")
out = csv.writer(sys.stdout, quoting=csv.QUOTE_ALL)
out.writerow(["ID", *metrics])
out.writerow(["", *["" for _ in metrics]])
out.writerow(["0", *[f"{values[m]:,}" if m in values else "n/a" for m in metrics]])
"""
# The CPU program: writes the counters that it is given, or refuses what it does not know.
FAKE_CPU = """#!/usr/bin/env python3
import os, sys
arguments = sys.argv[1:]
if "nope" in arguments:
    sys.exit("07_warp_specialized_cpu: --variant nope: choose from main, scalar")
with open(arguments[arguments.index("--json") + 1], "w") as file:
    file.write(os.environ["COUNTERS"])
"""
FAKE_GPU = """#!/bin/sh
case $TOO_OLD in yes) echo '07_warp_specialized: needs compute capability 9.0' >&2; exit 2;; esac
"""


def counted(**counters) -> dict:
    data = synthetic.run(9, "counters")
    data["chapters"] = data["chapters"][6:7]
    data["rows"] = [
        {
            "chapter": "07_warp_specialized",
            "variant": "default",
            **{"m": 256, "n": 256, "k": 256, "dtype": "bf16", "mode": "counters"},
            "counters": counters,
        }
    ]
    return data


CPU = counted(
    global_store_requests=256, global_store_sectors=4096, tma_shared_bytes=2**20,
    tma_load_bytes=2**19, tensor_flops=2**26,
)  # fmt: skip


class Profile(unittest.TestCase):
    def run_script(
        self, *arguments, gpu=True, values=None, old=False, chapter="07_warp_specialized"
    ):
        with tempfile.TemporaryDirectory() as folder:
            tools, programs = Path(folder) / "tools", Path(folder) / "build" / "bin"
            tools.mkdir()
            programs.mkdir(parents=True)
            files = [(programs / "07_warp_specialized_cpu", FAKE_CPU)]
            if gpu:
                files += [(tools / "ncu", FAKE_NCU), (tools / "nvidia-smi", "#!/bin/sh\n")]
                files += [(programs / "07_warp_specialized", FAKE_GPU)]
            for path, text in files:
                path.write_text(text)
                path.chmod(0o755)
            (tools / "python3").symlink_to(sys.executable)
            if values is None:
                known = {ncu_counters.metrics("bf16")[name]: value for name, value in NCU.items()}
                values = {**known, **MORE}
            environment = {
                "PATH": f"{tools}:/bin" if gpu else str(tools),
                "VALUES": json.dumps(values),
                "COUNTERS": json.dumps(CPU),
                "TOO_OLD": "yes" if old else "no",
            }
            return subprocess.run(
                [sys.executable, PROFILE, programs.parent, chapter, *arguments],
                env={**os.environ, **environment},
                capture_output=True,
                text=True,
            )

    def facts(self, printed: str) -> dict[str, list[str]]:
        """Numbers by what they are of; two spaces part the columns."""
        rows = [[cell for cell in line.split("  ") if cell] for line in printed.splitlines()]
        return {
            row[0].strip(): [cell.strip() for cell in row[1:-1]] for row in rows if len(row) > 2
        }

    def test_wavefronts_of_shared_loads_are_those_without_ldmatrix(self):
        counted = {"shared_load_requests": 8, "shared_load_wavefronts": 96, "ldmatrix_wavefronts": 64}
        apart = profile_chapter.kept_apart(counted)
        self.assertEqual(apart, {**counted, "shared_load_wavefronts": 32})
        self.assertEqual(profile_chapter.FACTS["shared_loads"].text(apart, None), "4.00")

    def test_ncu_and_the_cpu_backend_side_by_side(self):
        done = self.run_script()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("07_warp_specialized, main, bf16, one launch", done.stdout)
        self.assertIn("ncu, 4096x4096x4096  CPU backend, 256x256x256", done.stdout)
        facts = self.facts(done.stdout)
        self.assertEqual(facts["sectors per global store"], ["8.00", "16.00"])
        self.assertEqual(facts["arrives by TMA"], ["1,536.0 MB", "1.0 MB"])
        self.assertEqual(facts["operations per byte from the L2"], ["85.3", "64"])
        self.assertEqual(facts["from DRAM"], ["100.0 MB", "-"])
        self.assertEqual(facts["bytes per cycle, shared memory"], ["80 + 48", "-"])
        self.assertEqual(facts["of the tensor cores' work is needed"], ["100%", "50%"])
        share = 2 * 4096**3 / 4096 / (132 * 300000)
        self.assertEqual(
            facts["of their cycles the tensor cores work"], [f"{100 * share:.1f}%", "-"]
        )
        self.assertEqual(facts["SM clock"], ["1600 MHz", "-"])
        self.assertEqual(facts["under ncu"], ["687 TFLOPS", "-"])

    def test_without_a_gpu_the_cpu_backend_alone(self):
        done = self.run_script(gpu=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("profile: no nvidia-smi here", done.stdout.splitlines()[0])
        self.assertEqual(self.facts(done.stdout)["sectors per global store"], ["16.00"])
        self.assertNotIn("SM clock", done.stdout)

    def test_trouble_is_one_line(self):
        for arguments, options, status, complaint in (
            (("--variant", "nope"), {}, 1, "nope: choose from main, scalar"),
            (("--shape", "4096"), {}, 2, "expected MxNxK, found '4096'"),
            (("--shape", "0x1x1"), {}, 2, "expected MxNxK"),
            (("--dtype", "fp8"), {}, 2, "fp8"),
            (("--fast",), {}, 2, "--fast"),
            ((), {"chapter": "common"}, 2, "is it built?"),
            ((), {"old": True}, 2, "needs compute capability 9.0"),
            ((), {"values": {}}, 3, "may not read the GPU's counters"),
            ((), {"values": {"other": 1}}, 3, "ncu knows none of the metrics"),
        ):
            with self.subTest(arguments=arguments, **options):
                done = self.run_script(*arguments, **options)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertTrue(done.stderr.startswith("profile: "), done.stderr)
                self.assertEqual(done.stderr.count("profile: "), 1, done.stderr)
                self.assertIn(complaint, done.stderr)

    def test_every_fact_can_be_told_of_what_ncu_is_asked(self):
        asked = {**ncu_counters.METRICS, **profile_chapter.MORE_METRICS}
        at = profile_chapter.problem("256x256x256")
        everything = profile_chapter.lines([("x", {name: 8 for name in asked}, at)])
        self.assertEqual(len(everything), 1 + len(profile_chapter.FACTS))


if __name__ == "__main__":
    unittest.main()
