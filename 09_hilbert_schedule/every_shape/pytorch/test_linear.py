#!/usr/bin/env python3
"""Tests of the package every_shape against torch: on the GPU where there is one that the kernel runs on, otherwise
on the CPU backend.

usage: test_linear.py [unittest's arguments]      exit status 77 where there is no PyTorch
"""

import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

try:
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import every_shape
from every_shape import ACTIVATIONS, Linear, linear, replace_linears

linear_op = torch.ops.every_shape.linear.default
HERE = Path(__file__).resolve().parent
PACKAGE = Path(every_shape.__file__).resolve().parent

GPU = torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 0)
DEVICE = "cuda" if GPU else "cpu"
TYPES = (torch.bfloat16, torch.float16)

# Small tiles; rows of C that no wide store reaches; tiles cut off on both sides; nothing to sum up.
SHAPES = [(64, 128, 64), (200, 320, 72), (130, 264, 200), (65, 33, 40), (1, 8, 8), (3, 5, 1024)]
SHAPES += [(0, 16, 16), (16, 0, 16), (16, 24, 0), (0, 0, 0)]
if GPU:
    SHAPES += [(4096, 4096, 4096), (4096, 14336, 4096), (8191, 8200, 1024), (5000, 3333, 2040)]
    SHAPES += [(128, 8192, 8192), (16384, 512, 256)]
WIDE = (13 * 128, 10 * 256, 8)  # as many wide tiles as there are SMs, nearly
KINDS = [(bias, activation) for bias in (False, True) for activation in ACTIVATIONS]
EXACT = ("none", "relu")  # for integers
AFTER = {
    "none": lambda x: x,
    "relu": torch.relu,
    "gelu": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    "silu": torch.nn.functional.silu,
}


def uniform(shape, dtype: torch.dtype) -> torch.Tensor:
    return (torch.rand(shape, device=DEVICE) * 2 - 1).to(dtype)


def integers(shape, dtype: torch.dtype) -> torch.Tensor:
    return torch.randint(-2, 3, shape, device=DEVICE).to(dtype)


def operands(draw, shape, dtype: torch.dtype, bias: bool):
    m, n, k = shape
    return draw((m, k), dtype), draw((n, k), dtype), draw((n,), dtype) if bias else None


def plain(x, weight, bias=None, activation="none") -> torch.Tensor:
    return AFTER[activation](torch.nn.functional.linear(x, weight, bias))


def by_torch(x, weight, bias, activation: str, dtype: torch.dtype) -> torch.Tensor:
    """In `dtype`; a product of bf16 or fp16 is exact in fp32, a sum of integers in either."""
    return plain(x.to(dtype), weight.to(dtype), None if bias is None else bias.to(dtype), activation)


class Results(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(9)

    def within_rounding(self, x, weight, bias, activation: str) -> None:
        out = linear(x, weight, bias, activation)
        self.assertEqual(out.dtype, x.dtype)
        expected = by_torch(x, weight, bias, activation, torch.float64)
        self.assertEqual(out.shape, expected.shape)
        # C is rounded once; the sums are in fp32, and tensor cores cut bits off.
        magnitude = by_torch(x.abs(), weight.abs(), None, "none", torch.float64) + 1
        allowed = expected.abs() * torch.finfo(x.dtype).eps / 2 + magnitude * 2.0**-16
        wrong = ~((out.double() - expected).abs() <= allowed)
        self.assertEqual(int(wrong.sum()), 0)

    def exact(self, x, weight, bias, activation: str) -> None:
        expected = by_torch(x, weight, bias, activation, torch.float32).to(x.dtype)
        self.assertTrue(torch.equal(linear(x, weight, bias, activation), expected))

    def test_every_kind(self) -> None:
        for shape, dtype, (bias, after) in itertools.product(SHAPES, TYPES, KINDS):
            with self.subTest(dtype=dtype, shape=shape, bias=bias, activation=after):
                self.within_rounding(*operands(uniform, shape, dtype, bias), after)
                if after in EXACT:
                    self.exact(*operands(integers, shape, dtype, bias), after)

    def test_wide_tiles(self) -> None:
        for dtype, bias, activation in zip(TYPES, (False, True), EXACT):
            with self.subTest(dtype=dtype, bias=bias, activation=activation):
                self.exact(*operands(integers, WIDE, dtype, bias), activation)

    @unittest.skipUnless(GPU, "what torch.matmul computes in bf16 and fp16 on a GPU")
    def test_beside_torch_in_the_same_type(self) -> None:
        for dtype in TYPES:
            x, weight, _ = operands(uniform, (2048, 1024, 512), dtype, False)
            # Sums of 512 products of up to 1, added up in another order: far from 0 the rounding to
            # dtype hides that, near 0 it does not.
            rtol = {torch.bfloat16: 2.0**-7, torch.float16: 2.0**-10}[dtype]
            beside = torch.matmul(x, weight.T)
            torch.testing.assert_close(linear(x, weight), beside, rtol=rtol, atol=1024 * 2.0**-24)

    def test_views(self) -> None:
        """Rows further apart than they are long, and operands that begin inside another tensor."""
        for dtype in TYPES:
            x = uniform((70, 256), dtype)[3:67, 64:160]
            weight = uniform((48, 200), dtype)[::2, 8:104]
            bias = uniform((50,), dtype)
            self.within_rounding(x, weight, bias[2::2], "relu")
            self.within_rounding(x, weight, bias[1:25], "relu")  # contiguous, not aligned
            self.within_rounding(x[5:6], weight, None, "none")

    def test_more_dimensions(self) -> None:
        x, weight = uniform((3, 5, 40), torch.bfloat16), uniform((24, 40), torch.bfloat16)
        for operand in (x, x.transpose(0, 1), x[0, 0]):  # the second's folded dimensions are apart
            self.within_rounding(operand, weight, None, "none")

    def test_nan_and_infinity(self) -> None:
        x, weight, _ = operands(integers, (16, 32, 16), torch.bfloat16, False)
        x[3], x[5, 0] = float("nan"), float("inf")
        weight[:, 0] = 1
        out = linear(x, weight, None, "relu")
        self.assertTrue(bool(out[3].isnan().all()) and bool(out[5].isinf().all()))
        self.assertTrue(bool(out[:3].isfinite().all()))

    def test_plans_take_new_addresses(self) -> None:
        """Other addresses of the same shape, and the same addresses with other values."""
        x, weight, bias = operands(integers, (96, 64, 80), torch.bfloat16, True)
        self.exact(x, weight, bias, "none")
        self.exact(x * 2, weight.clone(), bias.clone(), "none")
        x.zero_()
        self.exact(x, weight, bias, "none")

    def test_threads(self) -> None:
        """Several at once, of the same shapes and of others: plans are made, shared and run."""

        def work(seed: int) -> None:
            for turn in range(12):
                shape = (40 + 8 * ((seed + turn) % 4), 48, 64)
                self.exact(*operands(integers, shape, torch.bfloat16, True), "relu")

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(work, range(4)))  # raises what they have raised

    def test_plans_are_kept_and_bounded(self) -> None:
        kept = every_shape._operator.plans_kept
        x, weight = uniform((100, 8), torch.bfloat16), uniform((16, 8), torch.bfloat16)
        linear(x, weight)
        before = kept()
        linear(x.clone(), weight.clone())
        self.assertEqual(kept(), before)
        for m in range(1, 4200 if GPU else 20):
            linear(weight[:1].expand(m, 8).contiguous(), weight)
        self.assertLessEqual(kept(), 4096 if GPU else before + 19)


class Refusals(unittest.TestCase):
    def test_bad_operands(self) -> None:
        x, weight, bias = operands(uniform, (16, 24, 32), torch.bfloat16, True)
        for error, text, arguments in [
            (TypeError, "x is Float; the kernel takes BFloat16 and Half", (x.float(), weight.float())),
            (TypeError, "weight is Half, x is BFloat16", (x, weight.half())),
            (TypeError, "bias is Float", (x, weight, bias.float())),
            (ValueError, "x has 24 columns, weight 32", (x[:, :24], weight)),
            (ValueError, "2 dimensions, not 1", (x, weight[0])),
            (ValueError, "no dimension", (x[0, 0], weight)),
            (ValueError, "bias has shape .16.*24 rows", (x, weight, bias[:16])),
            (ValueError, "bias has shape", (x, weight, bias.view(1, 24))),
            (ValueError, "activation is 'tanh', not none, relu", (x, weight, bias, "tanh")),
            (ValueError, "x are 16 elements apart, not 1", (uniform((32, 16), x.dtype).T, weight)),
            (ValueError, "weight are 2 elements apart", (x, uniform((24, 64), x.dtype)[:, ::2])),
            (ValueError, "rows of x are 20 .* multiple of 8",
             (uniform((16, 20), x.dtype), uniform((24, 20), x.dtype))),
            (ValueError, "rows of x overlap .0 elements", (x[:1].expand(16, 32), weight)),
            (ValueError, "x begins 2 bytes behind a multiple of 16",
             (uniform((16, 40), x.dtype)[:, 1:33], weight)),
            (ValueError, "weight is on .*, x is on meta", (x.to("meta"), weight)),
            (ValueError, "weight is on meta", (x, weight.to("meta"))),
        ]:
            with self.subTest(text):
                with self.assertRaisesRegex(error, text) as caught:
                    linear(*arguments)
                self.assertNotIn("\n", str(caught.exception))

    def fails(self, package: Path, text: str, **environment: str) -> None:
        """One line ends a program that has the package in that folder."""
        program = f"import torch, every_shape; x = torch.zeros(8, 8, device={DEVICE!r}).bfloat16()"
        found = subprocess.run(
            [sys.executable, "-c", program + "; every_shape.linear(x, x)"], text=True,
            capture_output=True, env={**os.environ, "PYTHONPATH": str(package.parent), **environment},
        )
        self.assertEqual(found.returncode, 1)
        self.assertRegex(found.stderr.strip().splitlines()[-1], text)

    def test_no_library_and_two_versions(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.fails(PACKAGE, "^RuntimeError: every_shape: cannot load .*: pip builds it",
                       EVERY_SHAPE_LIBRARIES=folder)
            copy = Path(shutil.copytree(PACKAGE, Path(folder) / "every_shape"))
            (copy / "_built_for.py").write_text('TORCH = "1.0"\n')
            self.fails(copy, "^ImportError: every_shape was built for PyTorch 1.0, and this is")
            (copy / "_built_for.py").unlink()
            self.fails(copy, "^ImportError: every_shape has not been built")

    @unittest.skipUnless(shutil.which("cc"), "takes a C compiler")
    def test_a_library_of_another_version(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "other.c"
            source.write_text("int every_shape_version(void) { return 99; }")
            name = "libevery_shape.so" if GPU else "libevery_shape_cpu.so"
            subprocess.run(["cc", "-shared", "-fPIC", source, "-o", Path(folder) / name], check=True)
            self.fails(PACKAGE, "^RuntimeError: every_shape: .* of version 99, the operator of version 1",
                       EVERY_SHAPE_LIBRARIES=folder)


class Layer(torch.nn.Module):
    """Two layers of a perceptron."""

    def __init__(self, op) -> None:
        super().__init__()
        self.op = op
        self.first = torch.nn.Linear(40, 48, dtype=torch.bfloat16)
        self.second = torch.nn.Linear(48, 24, dtype=torch.bfloat16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.op(x, self.first.weight, self.first.bias, "gelu")
        return self.op(hidden * 0.5, self.second.weight, self.second.bias, "relu")


class Operator(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(10)
        torch._dynamo.reset()

    def test_schema_fake_and_gradients_agree_with_the_operator(self) -> None:
        x, weight, bias = operands(uniform, (16, 24, 32), torch.bfloat16, True)
        for tensor in (x, weight, bias):
            tensor.requires_grad_()
        for activation in ACTIVATIONS.values():
            torch.library.opcheck(linear_op, (x, weight, bias, activation))
            torch.library.opcheck(linear_op, (x, weight, None, activation))

    def test_gradients(self) -> None:
        x, weight, bias = leaves = operands(uniform, (24, 40, 32), torch.float16, True)
        for leaf in leaves:
            leaf.requires_grad_()
        for x_in in (x, x.view(4, 6, 32), x[0]):
            for activation in ACTIVATIONS:
                found, expected = (
                    torch.autograd.grad(op(x_in, weight, bias, activation).sum(), leaves)
                    for op in (linear, plain)
                )
                torch.testing.assert_close(found, expected, rtol=2e-2, atol=2e-2)

    def test_compiled_whole(self) -> None:
        model = Layer(linear).to(DEVICE)
        backend = "inductor" if GPU else "aot_eager"
        compiled = torch.compile(model, fullgraph=True, backend=backend)
        for rows in (16, 24):  # the second shape is a dynamic one
            x = uniform((rows, 40), torch.bfloat16)
            torch.testing.assert_close(compiled(x), model(x))
        same = Layer(plain).to(DEVICE)
        same.load_state_dict(model.state_dict())
        torch.testing.assert_close(compiled(x), same(x), rtol=2e-2, atol=2e-2)
        compiled(x).sum().backward()
        self.assertIsNotNone(model.first.weight.grad)

    def test_modules_are_replaced(self) -> None:
        model = torch.nn.Sequential(torch.nn.Linear(40, 48), torch.nn.ReLU(), torch.nn.Linear(48, 20),
                                    torch.nn.Linear(20, 8)).to(DEVICE)  # the last one stays
        x = torch.rand(16, 40, device=DEVICE)
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            expected = model(x)
            self.assertEqual(replace_linears(model), 2)
            self.assertIsInstance(model[2], Linear)
            found = model(x)
        self.assertEqual(found.dtype, torch.bfloat16)
        torch.testing.assert_close(found, expected, rtol=2e-2, atol=2e-2)
        found.sum().backward()
        self.assertEqual(model[0].weight.grad.dtype, torch.float32)
        alone = Linear(40, 24, activation="silu", device=DEVICE, dtype=torch.float16)
        with torch.no_grad():
            expected = linear(x.half(), alone.weight, alone.bias, "silu")
            self.assertTrue(torch.equal(alone(x.half()), expected))

    def test_two_processes_share_a_perceptron(self) -> None:
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        command += ["--nproc-per-node", "2", HERE / "tensor_parallel.py", "--device", "cpu"]
        found = subprocess.run(command, text=True, capture_output=True,
                               env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), "OMP_NUM_THREADS": "1"})
        self.assertEqual(found.returncode, 0, found.stderr[-2000:])
        self.assertIn("right", found.stdout)

    def test_shapes_without_data(self) -> None:
        x, weight, bias = operands(uniform, (16, 24, 32), torch.bfloat16, True)
        with torch._subclasses.FakeTensorMode() as mode:
            fakes = [mode.from_tensor(t) for t in (x, weight, bias)]
            out = linear(*fakes, activation="relu")
            self.assertEqual((out.shape, out.dtype, out.device), ((16, 24), x.dtype, x.device))
            with self.assertLogs("torch._subclasses.fake_tensor"):
                with self.assertRaisesRegex(ValueError, "they share K"):
                    linear(fakes[0], fakes[1][:, :16])


@unittest.skipUnless(GPU, "streams and graphs are the GPU's")
class Streams(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(11)
        self.x, self.weight, self.bias = operands(integers, (512, 512, 512), torch.bfloat16, True)

    def test_current_stream(self) -> None:
        """Late work of the current stream is waited for; no other stream is."""
        later = integers((512, 512), torch.bfloat16)
        expected = by_torch(later, self.weight, self.bias, "relu", torch.float32).to(later.dtype)
        x = torch.zeros_like(later)
        torch.cuda.synchronize()
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(100_000_000)
            x.copy_(later)
            out = linear(x, self.weight, self.bias, "relu")
        self.assertFalse(stream.query())
        stream.synchronize()
        self.assertTrue(torch.equal(out, expected))

    def test_graph(self) -> None:
        linear(self.x, self.weight, self.bias, "relu")
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = linear(self.x, self.weight, self.bias, "relu")
        for _ in range(3):
            self.x.copy_(integers((512, 512), torch.bfloat16))
            graph.replay()
            expected = by_torch(self.x, self.weight, self.bias, "relu", torch.float32)
            self.assertTrue(torch.equal(out, expected.to(out.dtype)))

    def test_compiled_into_graphs(self) -> None:
        """Where torch.compile captures what it runs, and replays it for other values."""
        torch._dynamo.reset()
        op = torch.compile(lambda x: linear(x * 2, self.weight, self.bias, "relu"), fullgraph=True,
                           mode="reduce-overhead")
        with torch.no_grad():
            for _ in range(4):
                x = integers((512, 512), torch.bfloat16)
                expected = by_torch(x * 2, self.weight, self.bias, "relu", torch.float32)
                self.assertTrue(torch.equal(op(x), expected.to(x.dtype)))

    @unittest.skipUnless(GPU and torch.cuda.device_count() > 1, "takes two GPUs")
    def test_another_device(self) -> None:
        there = [t.to("cuda:1") for t in (self.x, self.weight, self.bias)]
        out = linear(*there, "relu")
        self.assertEqual(out.device.index, 1)
        self.assertTrue(torch.equal(out.to("cuda:0"), linear(self.x, self.weight, self.bias, "relu")))


if __name__ == "__main__":
    print(f"PyTorch {torch.__version__}, on {torch.cuda.get_device_name() if GPU else 'the CPU backend'}")
    unittest.main()
