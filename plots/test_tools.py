"""The tools of common/tools that read and write result files: `make profile`, ncu, merging."""

import contextlib
import io
import json
import sys
from unittest import mock

import results
import synthetic
from cli import ROOT
from counter_tables import COLUMNS, MEASURED_AS, NCU
from synthetic import Repository

TOOLS = ROOT / "common" / "tools"
sys.path.insert(0, str(TOOLS))

sys.path.insert(0, str(ROOT / "09_hilbert_schedule" / "every_shape"))

import fit  # noqa: E402
import measured  # noqa: E402
import numpy as np  # noqa: E402

# Prints the metrics that it is asked for and knows, and keeps its arguments.
FAKE_NCU = f"""#!{sys.executable}
import json, os, sys
arguments = sys.argv[1:]
with open(os.environ["SEEN"], "a") as seen:
    print(*arguments, file=seen)
values = json.loads(os.environ["VALUES"])
metrics = [m for m in arguments[arguments.index("--metrics") + 1].split(",") if m in values]
for line in (["ID", *metrics], ["", *metrics], ["0", *(f"{{values[m]:,}}" for m in metrics)]):
    print(",".join(f'"{{word}}"' for word in line))
"""
# The CPU program writes the counters that it is given.
FAKE_CPU = f"""#!{sys.executable}
import os, sys
with open(sys.argv[sys.argv.index("--json") + 1], "w") as file:
    file.write(os.environ["COUNTERS"])
"""
CPU = {"global_store_requests": 256, "global_store_sectors": 4096, "tensor_flops": 2**26}
# What a kernel of 4096 x 4096 x 4096 might count.
GPU = {"global_store_requests": 131072, "global_store_sectors": 1048576, "sm_cycles": 132 * 300000}
GPU |= {"shared_load_requests": 8, "shared_load_wavefronts": 96, "ldmatrix_wavefronts": 64}
GPU |= {"l2_read_sectors": 50331648, "tensor_flops": 2 * 4096**3, "dram_read_bytes": 104857600}


class Counted(Repository):
    def setUp(self):
        super().setUp()
        self.write("tools/ncu", FAKE_NCU, 0o755)
        self.write("tools/nvidia-smi", "#!/bin/sh\necho NVIDIA H200, 580.1\n", 0o755)
        self.write("build/bin/02_smem_tiling_cpu", FAKE_CPU, 0o755)
        self.write("build/bin/02_smem_tiling", "#!/bin/sh\n", 0o755)
        self.seen = self.root / "seen"
        self.cpu = synthetic.counters("CPU backend", CPU, CPU)
        self.cpu["chapters"] = self.cpu["chapters"][1:2]

    def counting(self, tool: str, *arguments, values: dict = GPU, gpu: bool = True):
        known = {measured.METRICS[name].format(dtype="bf16"): values[name] for name in values}
        times = {"gpu__time_duration.sum": 200000, "sm__cycles_elapsed.max": 320000}
        return self.script(
            TOOLS / "measured.py", tool, *arguments,
            PATH=f"{self.root / 'tools'}:/bin" if gpu else "/nowhere", SEEN=str(self.seen),
            VALUES=json.dumps({**known, **times} if values else {}), COUNTERS=json.dumps(self.cpu),
        )  # fmt: skip

    def test_profile_shows_ncu_and_the_cpu_backend_side_by_side(self):
        profile = ("profile", self.root / "build", "02_smem_tiling")
        done = self.counting(*profile)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for line in (
            r"02_smem_tiling, main, bf16, one launch",
            r" +ncu, 4096x4096x4096  CPU backend, 256x256x256",
            r"sectors per global store +8\.00 +16\.00",
            r"operations per byte from the L2 +85\.3 +-",
            r"from DRAM +100\.0 MB +-",
            r"of their cycles the tensor cores work +84\.7% +-",
            r"wavefronts per shared load +4\.00 +-",
            r"SM clock +1600 MHz +-",
            r"under ncu +687 TFLOPS +-",
        ):
            self.assertRegex(done.stdout, rf"(?m)^{line}$")
        alone = self.counting(*profile, gpu=False)
        self.assertIn("profile: no nvidia-smi here", alone.stdout.splitlines()[0])
        self.assertNotIn("SM clock", alone.stdout)
        done = self.counting(*profile, values={})
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"\Aprofile: .*ncu knows none of the metrics\n\Z")

    def test_ncu_counts_the_kernels_of_a_file(self):
        self.cpu["rows"].append({**self.cpu["rows"][0], "m": 8, "skipped": "too small"})
        source, target = self.record("cpu_counters", self.cpu), self.root / "out.json"
        done = self.counting("record", "build", source, target)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        first, second = self.seen.read_text().splitlines()  # nothing for the row left out
        self.assertIn("-k gemm_kernel -c 1", first)
        command = "build/bin/02_smem_tiling --check --variant"
        self.assertTrue(first.endswith(f"{command} main --shape 256x256x256 --dtype bf16"), first)
        self.assertIn(f"{command} scalar", second)
        written = results.load(target)
        self.assertEqual((written.device, written.software()), ("NVIDIA H200", "driver 580.1"))
        self.assertEqual(written.counters.loc[0].to_dict(), GPU)
        done = self.counting("record", "build", source, target, "64x128x256")
        self.assertEqual(set(results.load(target).rows["shape"]), {(64, 128, 256)})

    def test_every_counter_of_the_tables_is_asked_for(self):
        names = COLUMNS.keys() - MEASURED_AS.keys()
        names |= {*NCU, *(theirs for theirs, _ in MEASURED_AS.values())}
        self.assertLessEqual(names, measured.METRICS.keys())


class Merge(Repository):
    def test_rows_are_added_once_where_all_were_measured_alike(self):
        first, more = synthetic.run(), synthetic.run()
        more["rows"] = [first["rows"][0], {**first["rows"][0], "n": 8}]
        target, tool = self.record("first", first), (TOOLS / "measured.py", "merge")
        self.assertEqual(self.script(*tool, target, self.record("more", more)).returncode, 0)
        self.assertEqual(len(results.load(target).rows), len(first["rows"]) + 1)
        before = target.read_bytes()
        for field in ("commit", "device", "method", "software"):
            done = self.script(*tool, target, self.record("more", {**more, field: "0"}))
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
            self.assertIn(field, done.stderr)
        self.assertEqual(target.read_bytes(), before)


class FitTest(Repository):
    def test_fastest_tiling_of_each_shape_is_written(self):
        rows = [("64x96", 100, 10.0), ("128x144_4x2", 100, 12.0), ("64x32", 1, 1.0), ("other", 1, 9.0)]
        result = {
            "device": {"name": "a board", "sms": 132, "dram_bytes_per_second": 1e12},
            "rows": [
                {"chapter": "every_shape", "variant": variant, "m": m, "n": 200, "k": 304,
                 "gflops_median": speed}
                for variant, m, speed in rows
            ],
        }  # fmt: skip
        path = self.root / "tune.json"
        path.write_text(json.dumps(result))
        header = fit.TUNED.read_text()
        fastest = 'kTuned = {Tuned{1, 200, 304, "64x32"}, Tuned{100, 200, 304, "128x144_4x2"}};'
        self.assertIn(f"std::array<Tuned, 2> {fastest}", fit.tuned(header, [path]))
        self.assertEqual(fit.tuned(fit.tuned(header, [path]), [path]), fit.tuned(header, [path]))

        slower = self.root / "slower.json"
        slower.write_text(json.dumps({**result, "rows": [{**result["rows"][0], "gflops_median": 1.0}]}))
        self.assertEqual(fit.tuned(header, [slower, path]), fit.tuned(header, [path]))
        both = fit.Fit([path, slower])  # what one file lacks was not built for it
        self.assertEqual(both.shapes, 3)
        built = [set(both.names[tilings]) for tilings in both.built]
        self.assertEqual(built, [{"64x96", "128x144_4x2", "64x32"}, {"64x96"}])

        def along_m_and_n(changes):
            path.write_text(json.dumps({**result, **changes}))
            return fit.measured([path])[0][:, 15:].tolist()

        self.assertEqual(along_m_and_n({}), [[0, 0]] * 3)
        self.assertEqual(along_m_and_n({"method": {"layout": "nn"}}), [[1, 0]] * 3)
        self.assertEqual(along_m_and_n({"method": {"layout": "tt"}}), [[0, 1]] * 3)
        self.assertTrue(fit.Fit([path]).zeros.all())
        large = {**result, "rows": [{**result["rows"][0], "m": 1 << 20, "k": 4096}]}
        slower.write_text(json.dumps(large))
        path.write_text(json.dumps({**large, "method": {"rest_from_ms": 0.04}}))
        self.assertGreater(fit.Fit([path]).weights.item(), fit.Fit([slower]).weights.item())
        rows = [{**row, "layout": "nt"} for row in result["rows"]]
        self.assertEqual(along_m_and_n({"method": {"layout": "nn"}, "rows": rows}), [[1, 1]] * 3)

    def test_files_without_times_are_refused_in_one_line(self):
        bad, other = self.root / "bad.json", self.root / "other.json"
        bad.write_text("{")
        other.write_text(json.dumps({"device": {}, "rows": [{"variant": "default"}]}))
        for path, why in ((self.root / "none.json", "No such file"), (bad, "line 1"), (other, "no tiling's time")):
            with self.assertRaisesRegex(SystemExit, f"^fit.py: .*{path.name}.*{why}.*$"):
                fit.measured([path])

    def test_a_fit_has_the_candidates_of_the_choice(self):
        header = (fit.HERE / "tiling_choice.hpp").read_text()
        self.assertIn(f"kCandidates = {fit.CANDIDATES};", header)
        self.assertIn(f"kCandidatesWithin = {fit.WITHIN};", header)

    def test_the_fit_in_use_suits_recorded_times(self):
        newest = ("h200_tune_15", "h200_tune_16", "h200_tune_17", "h200_tune_18", "h200_majors_tune_5")
        recorded = fit.Fit([ROOT / "plots" / "results" / f"{name}.json.gz" for name in newest])
        self.assertFalse(recorded.zeros.any())
        lost = fit.present(recorded)
        for kind in range(recorded.kind.max() + 1):  # of each file and layout
            self.assertLess(lost[recorded.kind == kind].mean(), 0.005)
        self.assertLess(lost[recorded.extents.prod(axis=1) > 5e10].mean(), 0.002)
        # With zeros in them, so not what is fitted to; the only ones of an H100 and of other layouts.
        parts = (("h100_tune", (2, 3)), ("h200_tune", (13, 14)), ("h100_majors_tune", (3, 4)), ("h200_majors_tune", (3, 4)))
        names = (f"{name}_{part}" for name, numbers in parts for part in numbers)
        older = fit.Fit([ROOT / "plots" / "results" / f"{name}.json.gz" for name in names])
        lost = fit.present(older)
        for kind in range(older.kind.max() + 1):
            self.assertLess(lost[older.kind == kind].mean(), 0.035)
        cut = self.root / "network.inc"
        cut.write_text(fit.NETWORK.read_text().rpartition(",")[0])
        with mock.patch.object(fit, "NETWORK", cut), self.assertRaisesRegex(SystemExit, "has .* numbers"):
            fit.present(recorded)

    def test_a_fit_is_written_as_it_is_read_again(self):
        times, network = str(ROOT / "plots" / "results" / "h200_tune_15.json.gz"), fit.Candidates.network
        files = {name: self.root / f"{name}.inc" for name in ("CONSTANTS", "TILINGS", "NETWORK")}
        for name in ("CONSTANTS", "TILINGS"):
            files[name].write_text(getattr(fit, name).read_text())
        with mock.patch.multiple(fit, **files), mock.patch.object(sys, "argv", ["fit.py", "--network", times]), \
                mock.patch.object(fit.Candidates, "network", lambda of, shapes: network(of, shapes, steps=20)), \
                contextlib.redirect_stdout(io.StringIO()) as said:
            fit.main()
            self.assertIn(f"fitted: {fit.report(fit.present(fit.Fit([times])))}\n", said.getvalue())

    def test_network_learns_what_inputs_and_tiling_say_together(self):
        random = np.random.default_rng(1)
        shapes, tilings = 800, 6
        seen = random.normal(size=(shapes, tilings, 3)).astype(np.float32)
        likes = random.normal(size=tilings)  # no input tells tilings apart
        log_time = 0.2 * likes * seen[..., 0] + 0.1 * np.abs(seen[..., 1])
        some = object.__new__(fit.Candidates)
        some.said = random.normal(0, 0.05, (shapes, tilings))
        some.lost = log_time - log_time.min(axis=1, keepdims=True)
        some.error = log_time - some.said
        some.measured = np.ones((shapes, tilings), bool)
        some.seen, some.weights = seen, np.ones(shapes)
        some.tiling, some.tilings = np.tile(np.arange(tilings), (shapes, 1)), tilings
        some.inputs, some.embedding, some.first, some.second = [1, 1, 1], 2, 16, 8
        net = some.network(np.arange(600), steps=1500, batch=64)
        sizes = [(3, 16), (2, 16), (16,), (16, 8), (8,), (8,), (6, 2)]
        self.assertEqual([part.shape for part in net], sizes)
        unseen = some.regret(net)[600:].mean()
        nothing = some.regret([part * 0 for part in net])[600:].mean()
        self.assertLess(unseen, 0.1 * nothing)
        for left_out in (0, 1, 6):  # inputs, what to do with embeddings, and these
            without = [part * (i != left_out) for i, part in enumerate(net)]
            self.assertGreater(some.regret(without)[600:].mean(), 3 * unseen)
