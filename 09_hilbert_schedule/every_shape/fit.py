#!/usr/bin/env python3
"""Fits the constants of the model that chooses tilings (choose.hpp) to measured times.

  fit.py RESULT...            prints the regret of the present constants
  fit.py --write RESULT...    fits them to the results, and writes model_constants.hpp
  fit.py --tuned RESULT...    writes the fastest tiling of each shape to tuned.hpp, which comes before the model

RESULT: what `every_shape --tune --sweep SEED --json RESULT` has written, of any number of boards. The regret of
a shape is how much longer the tiling takes that the model chooses than the fastest one that was measured.
"""

import argparse
import collections
import ctypes
import itertools
import json
import pathlib
import re
import subprocess
import tempfile
import textwrap

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
CONSTANTS = HERE / "model_constants.hpp"
TUNED = HERE / "tuned.hpp"
NAME = re.compile(r"(\d+)x(\d+)(?:_(deferred|tma))?(_transposed|_by_tma)?(?:_(\d)x(\d))?(_stream_k)?$")

# The model itself, so that there is one: times of all tilings at all shapes for some constants.
SOURCE = r"""
#include "choose.hpp"
struct Case { double m, n, k, rows, cols, deferred, by_tma, transposed, share_b, share_a, stream_k, sms, dram; };
extern "C" void predict(const Case* cases, long count, const every_shape::ModelConstants* fitted, double* out) {
  for (long i = 0; i < count; ++i) {
    const Case& c = cases[i];
    gemm::Problem problem;
    problem.m = long(c.m), problem.n = long(c.n), problem.k = problem.lda = problem.ldb = long(c.k);
    const every_shape::Tiling tiling{int(c.rows), int(c.cols), c.deferred != 0, c.by_tma != 0,
                                     int(c.share_a), int(c.share_b), c.transposed != 0, c.stream_k != 0};
    out[i] = every_shape::microseconds(tiling, problem, {int(c.sms), c.dram}, *fitted);
  }
}
"""


def model():
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "model.cpp"), pathlib.Path(folder, "model.so")
        source.write_text(SOURCE)
        common = HERE.parents[1] / "common"
        subprocess.run(["c++", "-std=c++20", "-O2", "-shared", "-fPIC", f"-I{HERE}", f"-I{common}",
                        f"-I{common / 'cpu'}", source, "-o", library], check=True)
        return ctypes.CDLL(str(library)).predict


def measured(paths):
    """Rows (m, n, k, tiling..., sms, DRAM bytes in a microsecond), their times in microseconds, the
    number of their shape, and their tiling's name."""
    rows, times, group, names = [], [], [], []
    number = collections.defaultdict(lambda: len(number))
    for path in paths:
        result = json.loads(pathlib.Path(path).read_text())
        device = result["device"]
        for row in result["rows"]:
            tiling = NAME.match(row["variant"])
            if not tiling or row.get("skipped") or row["chapter"] != "every_shape":
                continue
            high, wide, store, at_once, share_b, share_a, stream_k = tiling.groups()
            shape = [row["m"], row["n"], row["k"]]
            rows.append(shape + [int(high), int(wide), store is not None, store == "tma" or at_once is not None,
                                 at_once == "_transposed", int(share_b or 1),
                                 int(share_a or 1), stream_k is not None, device["sms"],
                                 device["dram_bytes_per_second"] / 1e6])
            times.append(2e-3 * np.prod([float(x) for x in shape]) / row["gflops_median"])
            group.append(number[device["name"], *shape])
            names.append(row["variant"])
    return np.array(rows, dtype=float), np.array(times), np.array(group), names


class Fit:
    def __init__(self, paths):
        self.predict = model()
        self.rows, self.times, self.group, names = measured(paths)
        self.names, self.tiling = np.unique(names, return_inverse=True)
        self.shapes = self.group.max() + 1
        self.best = np.full(self.shapes, np.inf)
        np.minimum.at(self.best, self.group, self.times)
        # Few of the shapes are large, and each takes as long as hundreds of small ones.
        operations = np.zeros(self.shapes)
        operations[self.group] = self.rows[:, :3].prod(axis=1)
        self.weights = np.where(operations > 5e10, 3.0, 1.0)

    def by_model(self, constants):
        out = np.empty(len(self.rows))
        as_doubles = ctypes.POINTER(ctypes.c_double)
        fitted = np.ascontiguousarray(constants, dtype=float)
        self.predict(self.rows.ctypes.data_as(as_doubles), ctypes.c_long(len(self.rows)),
                     fitted.ctypes.data_as(as_doubles), out.ctypes.data_as(as_doubles))
        return out

    def near(self, predicted):
        """Of the tilings of a shape those that might be chosen."""
        return (self.times < 1.25 * self.best[self.group]) & np.isfinite(predicted)

    def factors(self, by_model):
        """By how much each tiling takes longer than the model says, nearer to 1 where little was measured."""
        near = self.near(by_model)
        error = np.log(self.times[near] / by_model[near])
        count = np.bincount(self.tiling[near], minlength=len(self.names))
        return np.exp(np.bincount(self.tiling[near], error, len(self.names)) / (count + 5))

    def refined(self, by_model, factors):
        """The factors, each moved by up to a hundredth as long as the regret falls."""
        said, took = np.full((2, self.shapes, len(self.names)), np.inf)
        said[self.group, self.tiling] = np.log(by_model)
        took[self.group, self.tiling] = np.log(self.times / self.best[self.group])
        moved, shapes = np.log(factors), np.arange(self.shapes)

        def lost(tried):
            return np.average(took[shapes, (said + tried).argmin(axis=1)], weights=self.weights)

        least = lost(moved)
        for tiling, by in itertools.product(range(len(factors)), (-0.01, -0.005, 0.005, 0.01)):
            tried = moved.copy()
            tried[tiling] = np.log(factors[tiling]) + by
            if lost(tried) < least:
                moved, least = tried, lost(tried)
        return np.exp(moved)

    def predicted(self, constants):
        by_model = self.by_model(constants)
        return by_model * self.factors(by_model)[self.tiling]

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


def report(regret):
    return (f"{len(regret)} shapes: regret {100 * np.median(regret):.1f}% in the median, "
            f"{100 * np.mean(regret):.1f}% in the mean, {100 * np.quantile(regret, 0.95):.1f}% at the 95th percentile, "
            f"{100 * regret.max():.1f}% at most")


def tuned(header, paths):
    """The header with the fastest tiling of each shape."""
    rows, times, group, names = measured(paths)
    order = np.lexsort((times, group))
    fastest = order[np.unique(group[order], return_index=True)[1]]
    shapes = ["{" + ", ".join(str(int(x)) for x in rows[i, :3]) + f', "{names[i]}"}}' for i in fastest]
    table = f"kTuned = {{{', '.join('Tuned' + shape for shape in shapes)}}};"
    return re.sub(r"Tuned, \d+> kTuned = .*?;", f"Tuned, {len(shapes)}> {table}", header, flags=re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="fit the constants, and write them")
    parser.add_argument("--tuned", action="store_true", help="write the fastest tilings")
    parser.add_argument("results", nargs="+", metavar="RESULT")
    arguments = parser.parse_args()
    if arguments.tuned:
        return TUNED.write_text(tuned(TUNED.read_text(), arguments.results))
    fit = Fit(arguments.results)
    head, block, known = re.split(r"(?:kModel|kFactors\[\]) = {", CONSTANTS.read_text())
    numbers = re.compile(r"(?<=[ {])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?=[,}])")
    constants = np.array([float(x) for x in numbers.findall(block)])
    factor = {name: float(value) for name, value in re.findall(r'"(\w+)", ([\d.]+)', known)}
    present = np.array([factor.get(name, 1.0) for name in fit.names])
    print(report(fit.regret(fit.by_model(constants) * present[fit.tiling])))
    if arguments.write:
        constants = min((fit.fit(constants, seed=seed) for seed in range(1, 7)), key=fit.loss)
        by_model = fit.by_model(constants)
        factors = fit.refined(by_model, fit.factors(by_model))
        print("fitted,", report(fit.regret(by_model * factors[fit.tiling])))
        fitted = iter(constants)
        block = numbers.sub(lambda _: f"{next(fitted):.4g}", block)
        pairs = [f'{{"{name}",~{value:.3f}}}' for name, value in zip(fit.names, factors)]
        known = textwrap.fill(", ".join(pairs), 99, initial_indent=" " * 4, subsequent_indent=" " * 4).replace("~", " ")
        CONSTANTS.write_text(f"{head}kModel = {{{block}kFactors[] = {{\n{known}\n}};\n\n}}  // namespace every_shape\n")


if __name__ == "__main__":
    main()
