#!/usr/bin/env python3
"""Fits what chooses tilings to measured times: the constants of the model (choose.hpp), and the network that
corrects it (correction.hpp).

  fit.py RESULT...              prints the regret on shapes that a network was not fitted to
  fit.py --present RESULT...    prints the regret of the choice that fitted_*.inc make, in seconds
  fit.py --network RESULT...    fits the factors and embeddings of tilings and the network, and writes fitted_*.inc
  fit.py --model RESULT...      fits the model's constants before that
  fit.py --tuned RESULT...      writes the fastest tiling of each shape to tuned.hpp, which comes before the model

RESULT: what `every_shape_tune --sweep SEED --json RESULT` has written (or `every_shape --tune`, which verifies all
tilings and takes longer), of any number of boards; may be compressed by gzip. The regret of a shape is how much longer
the tiling takes that is chosen than the fastest one that was measured.
"""

import argparse
import collections
import ctypes
import gzip
import json
import pathlib
import re
import subprocess
import tempfile
import textwrap

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
CONSTANTS, TILINGS, NETWORK = (HERE / f"fitted_{name}.inc" for name in ("model", "tilings", "network"))
TUNED = HERE / "tuned.hpp"
NUMBER = re.compile(r"(?<=[ {])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?=[,}])")  # a constant
NAME = re.compile(r"(\d+)x(\d+)(?:_(deferred|tma|pingpong))?(_transposed|_by_tma)?(?:_(\d)x(\d))?(?:_(stream_k)|_split(\d))?$")

CANDIDATES, WITHIN = 32, 1.4  # kCandidates and kCandidatesWithin in tiling_choice.hpp
LEFT_OUT = np.log(1.05)  # tilings that a result leaves out count as so much slower than the slowest of the others

# The model itself, so that there is one: of cases (shape, tiling, board) the times, and what the network sees.
SOURCE = r"""
#include "correction.hpp"
using namespace every_shape;
struct Case {
  double m, n, k, rows, cols, deferred, by_tma, transposed, share_b, share_a, stream_k, split_k, ping_pong;
  double sms, dram;
  double a_along_m, b_along_n;
};
extern "C" void predict(const Case* cases, long count, const ModelConstants* fitted, double* out, float* seen) {
  for (long i = 0; i < count; ++i) {
    const Case& c = cases[i];
    gemm::Problem problem;
    problem.m = long(c.m), problem.n = problem.ldc = long(c.n), problem.k = problem.lda = problem.ldb = long(c.k);
    if (c.a_along_m != 0) problem.a_major = gemm::Major::kMn, problem.lda = problem.m;
    if (c.b_along_n != 0) problem.b_major = gemm::Major::kMn, problem.ldb = problem.n;
    const Tiling tiling{int(c.rows), int(c.cols), c.deferred != 0, c.by_tma != 0,
                        int(c.share_a), int(c.share_b), c.transposed != 0, c.stream_k != 0, int(c.split_k), c.ping_pong != 0};
    const DeviceRates device{int(c.sms), c.dram};
    const Estimate of = estimate(tiling, problem, device, kNever, *fitted);
    out[i] = of.total;
    if (seen == nullptr) continue;
    for (const float x : inputs(tiling)) *seen++ = x;
    for (const float x : inputs(of)) *seen++ = x;
    for (const float x : inputs(tiling.transposed ? transposed(problem) : problem, device)) *seen++ = x;
  }
}
extern "C" long size(long which) {
  const long sizes[] = {kOfTiling, kOfEstimate, kOfProblem, kEmbedding, kFirst, kSecond};
  return sizes[which];
}
"""


def model():
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "model.cpp"), pathlib.Path(folder, "model.so")
        source.write_text(SOURCE)
        common = HERE.parents[1] / "common"
        subprocess.run(["c++", "-std=c++20", "-O2", "-shared", "-fPIC", f"-I{HERE}", f"-I{common}",
                        f"-I{common / 'cpu'}", source, "-o", library], check=True)
        return ctypes.CDLL(str(library))


def measured(paths):
    """Of the tilings in fitted_tilings.inc: rows (m, n, k, tiling..., sms, DRAM bytes in a microsecond, A along M, B
    along N), their times in microseconds, the number of their shape in their file, their tiling's name, the number of
    their file; and of each file the method."""
    listed = set(re.findall('"(.*?)"', TILINGS.read_text()))
    rows, times, group, names, files, methods = [], [], [], [], [], []
    number = collections.defaultdict(lambda: len(number))
    for file, path in enumerate(paths):
        try:
            content = pathlib.Path(path).read_bytes()
            result = json.loads(gzip.decompress(content) if str(path).endswith(".gz") else content)
        except (OSError, EOFError, ValueError) as error:
            raise SystemExit(f"fit.py: {path}: {error}") from None
        device = result.get("device")
        methods.append(result.get("method", {}))
        for row in result.get("rows", ()):
            tiling = NAME.match(row["variant"])
            if row["variant"] not in listed or row.get("skipped") or row["chapter"] != "every_shape":
                continue
            high, wide, store, at_once, share_b, share_a, stream_k, split_k = tiling.groups()
            shape = [row["m"], row["n"], row["k"]]
            layout = row.get("layout") or methods[file].get("layout", "tn")
            rows.append(shape + [int(high), int(wide), store in ("deferred", "tma"), store == "tma" or at_once is not None,
                                 at_once == "_transposed", int(share_b or 1),
                                 int(share_a or 1), stream_k is not None, int(split_k or 1), store == "pingpong", device["sms"],
                                 device["dram_bytes_per_second"] / 1e6, layout[0] == "n", layout[1] == "t"])
            times.append(2e-3 * np.prod([float(x) for x in shape]) / row["gflops_median"])
            group.append(number[file, layout, *shape])
            names.append(row["variant"])
            files.append(file)
        if file not in files:
            raise SystemExit(f"fit.py: {path} has no tiling's time: it is not from every_shape_tune or --tune")
    return np.array(rows, dtype=float), np.array(times), np.array(group), names, np.array(files), methods


class Fit:
    def __init__(self, paths):
        self.model = model()
        self.rows, self.times, self.group, names, files, methods = measured(paths)
        self.names, self.tiling = np.unique(names, return_inverse=True)
        self.shapes = self.group.max() + 1
        self.best = np.full(self.shapes, np.inf)
        np.minimum.at(self.best, self.group, self.times)
        first_row = np.unique(self.group, return_index=True)[1]
        self.of_shape = self.rows[first_row]
        # Older kernels loaded zeros outside of A and B (notebook.md#outside). Launches of rest_from_ms and more were
        # timed after rests; since that is 0.04 ms, blocks with large tiles are in step (notebook.md#in-step-tilings).
        zeros = np.array([method.get("zeros_loaded", 1) != 0 for method in methods])
        in_step = np.array([method.get("rest_from_ms", 1) <= 0.04 for method in methods])
        self.zeros, in_step = zeros[files[first_row]], in_step[files[first_row]]
        self.extents, self.layout = self.of_shape[:, :3], (self.of_shape[:, 15:] @ [2, 1]).astype(int)
        # Which tilings were timed in a file in a layout: others are no candidates there.
        self.kind = np.unique([files[first_row], self.layout], axis=1, return_inverse=True)[1].ravel()
        self.built = np.zeros((self.kind.max() + 1, len(self.names)), bool)
        self.built[self.kind[self.group], self.tiling] = True
        # A large shape takes as long as hundreds of small ones, and older times mislead there. Round extents are what
        # everybody tries first. Of layouts other than tn few shapes were measured. Where most tilings were timed there
        # is the most to learn.
        large, round_ones = self.extents.prod(axis=1) > 5e10, (self.extents % 128 == 0).all(axis=1)
        self.weights = np.where(large, np.where(in_step, 24.0, 3.0), 1.0)
        self.weights *= np.where(round_ones, 5, 1) * np.where(self.layout > 0, 3, 1)
        timed = self.built.sum(axis=1)[self.kind]
        self.weights *= np.where(timed > 0.7 * timed.max(), 2.5, 1) * np.where(self.zeros & ~large, 1, 10)

    def by_model(self, constants, cases=None, seen=None):
        """Microseconds of cases, by default of those that were measured; fills in what the network sees."""
        cases = np.ascontiguousarray(self.rows if cases is None else cases)
        out = np.empty(cases.shape[:-1])
        fitted = np.ascontiguousarray(constants, dtype=float)
        address = lambda array: None if array is None else array.ctypes.data_as(ctypes.c_void_p)
        self.model.predict(address(cases), ctypes.c_long(out.size), address(fitted), address(out), address(seen))
        return out

    def near(self, predicted):
        """Of the tilings of a shape those that might be chosen."""
        return (self.times < 1.25 * self.best[self.group]) & np.isfinite(predicted)

    def factors(self, by_model, known=True):
        """By how much each tiling takes longer than the model says, nearer to 1 where little was measured."""
        near = self.near(by_model) & known
        error = np.log(self.times[near] / by_model[near])
        count = np.bincount(self.tiling[near], minlength=len(self.names))
        return np.exp(np.bincount(self.tiling[near], error, len(self.names)) / (count + 5))

    def regret(self, predicted):
        """Of each shape: 0 where the fastest tiling is chosen."""
        least = np.full(self.shapes, np.inf)
        np.minimum.at(least, self.group, predicted)
        chosen = np.full(self.shapes, np.inf)
        np.minimum.at(chosen, self.group, np.where(predicted == least[self.group], self.times, np.inf))
        return chosen / self.best - 1

    def loss(self, constants):
        """Regret counts; where it says nothing, so do the times of what might be chosen."""
        by_model = self.by_model(constants)
        if by_model.min() <= 0:
            return np.inf  # part of the bytes is more than all of them
        predicted = by_model * self.factors(by_model)[self.tiling]
        near = self.near(predicted)
        error = np.log(predicted[near] / self.times[near])
        regret = np.average(np.log1p(self.regret(predicted)), weights=self.weights)
        return regret + 0.25 * np.sqrt(np.mean(error**2))

    def fit(self, constants, rounds=60, seed=1):
        """A random search around the best, from a place near `constants`: a few of them at a time, in
        ever smaller steps."""
        random = np.random.default_rng(seed)
        constants = constants * np.exp(random.normal(0, 0.12, len(constants)))
        least = self.loss(constants)
        for i in range(rounds):
            step = 0.3 * 0.93**i
            for _ in range(150):
                some = random.random(len(constants)) < 2.5 / len(constants)
                tried = constants * np.exp(some * random.normal(0, step, len(constants)))
                loss = self.loss(tried)
                if loss < least:
                    constants, least = tried, loss
        return constants


class Candidates:
    """Of each shape the tilings that the model alone takes for the fastest: what the network sees of them, the
    logarithm of what the model says, of how much slower than the fastest they are, and of the model's error."""

    def __init__(self, fit, constants, factors):
        cases = np.empty((fit.shapes, len(fit.names), fit.rows.shape[1]))
        cases[...] = fit.of_shape[:, None]
        cases[:, :, 3:13] = fit.rows[np.unique(fit.tiling, return_index=True)[1], 3:13]
        said = np.log(np.where(fit.built[fit.kind], np.minimum(fit.by_model(constants, cases), 1e99) * factors, 1e99))
        took = np.full(said.shape, np.nan)
        took[fit.group, fit.tiling] = np.log(fit.times / fit.best[fit.group])
        first = np.argsort(said, axis=1, kind="stable")[:, :CANDIDATES]
        self.said, took = (np.take_along_axis(values, first, axis=1) for values in (said, took))
        self.measured = ~np.isnan(took)
        slowest = np.fmax.reduce(took, axis=1, initial=0)[:, None]  # of those that were timed
        self.lost = np.where(self.measured, took, slowest + LEFT_OUT)
        self.error = np.log(fit.best)[:, None] + self.lost - self.said
        self.tiling, self.tilings, self.weights = first, len(fit.names), fit.weights
        # Inputs that depend on the tiling, the estimate, the problem; the embedding of a tiling; hidden units. Of times
        # with zeros loaded the network also sees how much of the tiles is outside, which nothing is now.
        *self.inputs, self.embedding, self.first, self.second = (fit.model.size(i) for i in range(6))
        self.seen = np.empty((*first.shape, sum(self.inputs)), np.float32)
        fit.by_model(constants, np.take_along_axis(cases, first[..., None], axis=1), self.seen)
        filled = self.seen[..., self.inputs[0]:self.inputs[0] + 2]
        outside = (1 - filled) * fit.zeros[:, None, None]
        self.seen = np.concatenate([self.seen, outside.astype(np.float32)], axis=-1)

    def regret(self, net):
        of_inputs, of_embedding, first_bias, second, second_bias, out, embeddings = net
        units = np.maximum(self.seen @ of_inputs + (embeddings @ of_embedding + first_bias)[self.tiling], 0)
        corrected = self.said + np.maximum(units @ second + second_bias, 0) @ out
        corrected[self.said >= self.said[:, :1] + np.log(WITHIN)] = np.inf
        chosen = corrected.argmin(axis=1)
        return np.expm1(np.take_along_axis(self.lost, chosen[:, None], axis=1)[:, 0])

    def network(self, shapes, steps=20000, batch=192, rate=4e-3, decay=0.05, seed=1):
        """Weights of the inputs, of the embeddings, biases of the first hidden layer; weights and biases of the
        second; weights of the result; the tilings' embeddings. They descend (Adam, a cosine's half, decay as in
        AdamW) the regret to expect where tilings are drawn by exp(-log time / heat), and twice the squared error of
        the times of what is nearly as fast as the fastest."""
        random, inputs = np.random.default_rng(seed), self.seen.shape[-1]
        mean = self.seen[shapes].mean(axis=(0, 1))
        spread = self.seen[shapes].std(axis=(0, 1)) + 1e-6
        scaled = ((self.seen - mean) / spread).astype(np.float32)
        weights = np.where(self.measured, np.exp(-self.lost / 0.2), 0)
        often = self.weights[shapes] / self.weights[shapes].sum()
        normal = lambda size, *shape: random.normal(0, size, shape).astype(np.float32)
        width = inputs + self.embedding
        net = [normal(width**-0.5, inputs, self.first), normal(width**-0.5, self.embedding, self.first),
               normal(0, self.first), normal(self.first**-0.5, self.first, self.second), normal(0, self.second),
               normal(0.02, self.second), normal(0.1, self.tilings, self.embedding)]
        slopes, squares = [np.zeros_like(x) for x in net], [np.zeros_like(x) for x in net]
        for step in range(steps):
            some = random.choice(shapes, batch, p=often)
            heat = 0.06 * 0.25 ** (step / steps)
            x, tiling = scaled[some].reshape(-1, inputs), self.tiling[some].ravel()
            embedded = net[6][tiling]
            y = np.maximum(x @ net[0] + embedded @ net[1] + net[2], 0)
            z = np.maximum(y @ net[3] + net[4], 0)
            corrected = (z @ net[5]).reshape(batch, -1)
            by = -(self.said[some] + corrected) / heat
            chance = np.exp(by - by.max(axis=1, keepdims=True))
            chance /= chance.sum(axis=1, keepdims=True)
            expected = (chance * self.lost[some]).sum(axis=1, keepdims=True)
            off = corrected - self.error[some]  # what was left out errs only where it seems faster than it is
            off = weights[some] * off + 0.3 * ~self.measured[some] * np.minimum(off, 0)
            slope = chance * (expected - self.lost[some]) / heat / batch + 4 * off / weights[some].sum()
            slope = slope.astype(np.float32).ravel()
            back_z = np.outer(slope, net[5]) * (z > 0)
            back_y = back_z @ net[3].T * (y > 0)
            order, of_tilings = np.argsort(tiling), np.zeros((self.tilings, self.first), np.float32)
            present, begin = np.unique(tiling[order], return_index=True)
            of_tilings[present] = np.add.reduceat(back_y[order], begin)
            now = rate * min(1, (step + 1) / 100) * (0.5 + 0.5 * np.cos(np.pi * step / steps))
            downs = (x.T @ back_y, net[6].T @ of_tilings, back_y.sum(axis=0), y.T @ back_z, back_z.sum(axis=0),
                     slope @ z, of_tilings @ net[1].T)
            for i, down in enumerate(downs):
                slopes[i] += 0.1 * (down - slopes[i])
                squares[i] += 0.02 * (down * down - squares[i])
                size = np.sqrt(squares[i] / (1 - 0.98 ** (step + 1))) + 1e-8
                net[i] -= now * (slopes[i] / (1 - 0.9 ** (step + 1)) / size + decay * net[i])
        return [net[0] / spread[:, None], net[1], net[2] - mean / spread @ net[0], *net[3:]]  # of what it sees


def unseen(fit, constants, parts=3):
    """The regret of each shape, by a network that was fitted to the other parts of the shapes."""
    _, number = np.unique(fit.extents, axis=0, return_inverse=True)  # boards' times of a shape belong together
    part = np.random.default_rng(1).permutation(number.max() + 1)[number.ravel()] % parts
    regret = np.empty(fit.shapes)
    for i in range(parts):
        known = part != i
        candidates = Candidates(fit, constants, fit.factors(fit.by_model(constants), known[fit.group]))
        regret[~known] = candidates.regret(candidates.network(np.flatnonzero(known)))[~known]
    return regret


def present_constants():
    return np.array([float(x) for x in NUMBER.findall(CONSTANTS.read_text())])


def present(fit):
    """The regret of each shape, by what fitted_*.inc have."""
    *inputs, embedding, first, second = (fit.model.size(i) for i in range(6))
    shapes = [(sum(inputs), first), (embedding, first), (first,), (first, second), (second,), (second,)]
    ends = np.cumsum([np.prod(shape) for shape in shapes])
    numbers = np.array(re.findall(r"[-+.\de]+", NETWORK.read_text()), dtype=float)
    if len(numbers) != ends[-1]:
        raise SystemExit(f"{NETWORK.name} has {len(numbers)} numbers, the network of correction.hpp {ends[-1]}")
    net = [part.reshape(shape) for part, shape in zip(np.split(numbers, ends[:-1]), shapes)]
    known = {name: np.array(f"{factor}, {learnt}".split(", "), dtype=float)
             for name, factor, learnt in re.findall(r'"(.*?)", (.*?), {(.*?)}', TILINGS.read_text())}
    nothing = np.array([1] + [0] * embedding)
    of_tilings = np.array([known.get(name, nothing) for name in fit.names])
    candidates = Candidates(fit, present_constants(), of_tilings[:, 0])
    net[0] = np.pad(net[0], ((0, candidates.seen.shape[-1] - len(net[0])), (0, 0)))
    return candidates.regret([*net, of_tilings[:, 1:]])


def report(regret):
    return (f"{len(regret)} shapes: regret {100 * np.median(regret):.1f}% in the median, "
            f"{100 * np.mean(regret):.1f}% in the mean, {100 * np.quantile(regret, 0.95):.1f}% at the 95th percentile")


def tuned(header, paths):
    """The header with the fastest tiling of each shape."""
    rows, times, _, names, *_ = measured(paths)
    order = np.argsort(times, kind="stable")
    order = order[~rows[order, 15:].any(axis=1)]  # of layout tn
    fastest = order[np.unique(rows[order, :3], axis=0, return_index=True)[1]]
    shapes = ["{" + ", ".join(str(int(x)) for x in rows[i, :3]) + f', "{names[i]}"}}' for i in fastest]
    table = f"kTuned = {{{', '.join('Tuned' + shape for shape in shapes)}}};"
    return re.sub(r"Tuned, \d+> kTuned = .*?;", f"Tuned, {len(shapes)}> {table}", header, flags=re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    todo = parser.add_mutually_exclusive_group()
    todo.add_argument("--present", action="store_true", help="the regret of the choice in use")
    todo.add_argument("--network", action="store_true", help="fit factors and the network, and write them")
    todo.add_argument("--model", action="store_true", help="fit the model's constants, too")
    todo.add_argument("--tuned", action="store_true", help="write the fastest tilings")
    parser.add_argument("results", nargs="+", metavar="RESULT")
    arguments = parser.parse_args()
    if arguments.tuned:
        return TUNED.write_text(tuned(TUNED.read_text(), arguments.results))
    fit = Fit(arguments.results)
    if arguments.present:
        return print("present:", report(present(fit)))
    constants = present_constants()
    if arguments.model:
        constants = min((fit.fit(constants, seed=seed) for seed in (1, 2)), key=fit.loss)
    print("unseen:", report(unseen(fit, constants)))
    if not arguments.model and not arguments.network:
        return
    factors = fit.factors(fit.by_model(constants)).round(3)
    candidates = Candidates(fit, constants, factors)
    net = [np.vectorize(lambda x: float(f"{x:.3g}"))(part) for part in candidates.network(np.arange(fit.shapes))]
    print("fitted:", report(candidates.regret(net)))

    def literal(x):
        return f"{x:.3g}".replace("0.", ".", int(abs(x) < 1))

    fitted = iter(constants)
    CONSTANTS.write_text(NUMBER.sub(lambda _: f"{next(fitted):.4g}", CONSTANTS.read_text()))
    *net, embeddings = net
    known = (f'    {{"{name}", {factor:.3f}, {{{", ".join(f"{x:.3g}" for x in embedding)}}}}},\n'
             for name, factor, embedding in zip(fit.names, factors, embeddings))
    TILINGS.write_text("".join(known))
    parts = [*np.split(net[0], np.cumsum(candidates.inputs))[:-1], *net[1:]]
    NETWORK.write_text(",\n".join(textwrap.fill(f"{{{', '.join(map(literal, np.ravel(part)))}}}", 100) for part in parts) + "\n")


if __name__ == "__main__":
    main()
