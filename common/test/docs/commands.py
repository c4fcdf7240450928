#!/usr/bin/env python3
"""Runs the commands that the pages print.

usage: commands.py BUILD_DIR [--quick | --full | --gpu [--record FILE]] [PAGE...]

--quick, the default: in a folder where BUILD_DIR is `build`, with problems no larger than 256. `make`
is asked what it would do, and the chapter's program is run instead of built; of what needs a GPU the
same variants and shapes are checked on the CPU backend. --full: as printed, in a fresh clone, which
takes long. --gpu: those marked (GPU), with one round, and with --record into a file which of them
succeeded. What pages still lack of a GPU is a warning. Exit status 1 when a command fails, 2 for bad
usage.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pages import ROOT, Command, Page, pages

# What ends with another status than 0, and which.
STATUS = {"layout --brief 'source_tv(4, tiled_mma_b((2,4,1), <32,32,16>))'": 2}
# Not run from here, not even in full: they run this, hold a GPU for long, or are of the chapter
# that `make new` makes, which has a test of its own.
NOT_FROM_HERE = re.compile(
    r"make (test|record|gpu-check|docs-check|new)\b|python3 -m unittest|.*(=10\b|10_mine)"
)
# Files that stand for what a reader has made.
GIVEN = {
    "run.json": "h200_burst.json",
    "hot.json": "h200_sustained.json",
    "t.json": "timeline_07_h200.json",
    "o.json": "tile_orders.json",
}
RECORDED = ROOT / "plots/results/h200_commands.txt"


class Sandbox:
    """A folder in which commands run that were printed for the repository's root."""

    def __init__(self, folder: Path, build: Path | None) -> None:
        self.folder = folder
        if build:
            for entry in ROOT.iterdir():
                if not entry.name.startswith(("build", ".")):
                    (folder / entry.name).symlink_to(entry)
            (folder / "build").symlink_to(build.resolve())
        found = subprocess.run([ROOT / "common/tools/python.sh"], capture_output=True, text=True)
        self.draws = found.returncode == 0
        tools = folder / ".tools"
        tools.mkdir()
        (tools / "python3").symlink_to(found.stdout.strip() if self.draws else sys.executable)
        path = f"{tools}:{folder / 'build' / 'bin'}:{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "HOME": str(folder)}
        for name, source in GIVEN.items():
            shutil.copy(ROOT / "plots" / "results" / source, folder / name)

    def complaint(self, command: Command, text: str) -> str | None:
        """Runs a command, or what stands for it; what is wrong with its status or its output."""
        arguments = ["timeout", "3600", "bash", "-c", f"exec 2>&1; {text}"]
        place = {"cwd": self.folder, "env": self.environment}
        done = subprocess.run(arguments, **place, text=True, stdout=subprocess.PIPE)
        got = [line.rstrip() for line in done.stdout.rstrip("\n").split("\n")]
        wanted = [line.rstrip() for line in command.printed or []]
        if command.printed is None and done.returncode != STATUS.get(command.text, 0):
            return f"{command.place}: {text}: status {done.returncode}: {' / '.join(got[-3:])}"
        if wanted[-1:] == ["..."]:  # the rest is left out
            wanted, got = wanted[:-1], got[: len(wanted) - 1]
        if command.printed is not None and got != wanted:
            first = next((g for g, w in zip(got, wanted) if g != w), f"{len(got)} lines")
            return f"{command.place}: {text}: prints '{first}', not what the page says"
        return None


def smaller(text: str) -> str:
    """The command with every extent behind --size and --shape cut, or with a small size; of a sweep
    one shape."""
    text = re.sub(r"--sweep \d+", "--sweep 1,1", text)
    if re.search(r"--(check|counters)\b", text) and not re.search(r"--s|gallery|lab|plots|\|", text):
        text += " --size 64"

    def cut(match: re.Match) -> str:
        values = re.sub(r"\d+", lambda extent: str(min(int(extent.group()), 256)), match.group(2))
        return match.group(1) + ",".join(dict.fromkeys(values.split(",")))

    return re.sub(r"(--(?:size|shape|time)[ =])([\dx,]+)", cut, text)


def on_cpu(text: str) -> str:
    """A command for a GPU as the CPU backend can check it: its names and its shapes."""
    text = re.sub(r"((?:\d\d_|build/bin/)[a-z_]+?)(_cpu|_traced)?(?= |$)", r"\1_cpu", text, count=1)
    text = re.sub(r" --(?:ablation|cold|tune)\b| --(?:mode|rounds|json|layout) \S+", "", text)
    return text.replace("--bench", "--check")


def program(name: str) -> str:
    """Of a chapter by number or name, or of an aside by its name; empty if there is none."""
    folders = sorted([*ROOT.glob("[0-9][0-9]_*/"), *ROOT.glob("[0-9][0-9]_*/*/")])
    return next((f.name for f in folders if re.fullmatch(rf"{name}(_\D\w*)?", f.name)), "")


def made(text: str) -> str:
    """What `make run` runs, once it is built; anything else as it is."""
    if not text.startswith("make run "):
        return text
    given = dict(word.split("=", 1) for word in shlex.split(text)[2:])
    return f"build/bin/{program(given['CHAPTER'])} {given.get('ARGS', '')}"


def quick(command: Command, sandbox: Sandbox) -> str:
    """The quick command that proves this one; empty where nothing can."""
    text = command.text
    if NOT_FROM_HERE.match(text) or (text.startswith("plots/") and not sandbox.draws):
        return ""
    if text.startswith("build/bin/every_shape_tune "):  # for a GPU alone: tune/test.sh
        return ""
    if text.startswith("make run "):
        return f"make -n {text[5:]} && {smaller(on_cpu(made(text)))}"
    if text.startswith("make ") and not text.startswith("make diff"):
        return f"make -n {text[5:]}"
    if text.startswith("cmake "):
        return f"{text} -DLADDER_CUDA=OFF".replace("-B build/", f"-B {sandbox.folder}/")
    if text.startswith("ctest "):  # compile gates are there with a CUDA compiler alone
        least = 0 if "compile_gate" in text else 1
        return f"{text} -N | grep -q 'Total Tests: [{least}-9]'"
    name = re.match(r"(?:build/bin/)?(\w+)", text)
    if command.needs_gpu or (name and program(name.group(1)) == name.group(1)):
        return smaller(on_cpu(text)) if re.match(r"build/bin/|\d\d_", text) else ""
    return text if command.printed is not None else smaller(text)


def run_quick(sandbox: Sandbox, wanted: list[Command]) -> list:
    proofs = {(quick(command, sandbox), str(command.printed)): command for command in wanted}
    # What one writes another may read: those that write go first.
    jobs = [(command, text) for (text, _), command in proofs.items() if text]
    failed = [sandbox.complaint(*job) for job in jobs if " > " in job[1]]
    others = [job for job in jobs if " > " not in job[1]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return failed + list(pool.map(lambda job: sandbox.complaint(*job), others))


def run_all(sandbox: Sandbox, wanted: list[Command], gpu: bool, record: Path | None) -> list:
    """As printed, one after the other; on a GPU with one round."""
    failed, lines = [], []
    for command in {command.text: command for command in wanted}.values():
        text = command.text
        if command.needs_gpu != gpu or NOT_FROM_HERE.match(text):
            continue
        if gpu:
            text = made(text).replace("--bench", "--bench --rounds 1")
        elif re.fullmatch(r"make (copy|profile|run|bugs)", text):  # alone: wants a chapter
            text += " -n"
        begin = time.monotonic()
        failed.append(sandbox.complaint(command, text))
        took = f"{time.monotonic() - begin:.1f} s"
        lines.append(f"{int(failed[-1] is not None)} {took}  {command.text}")
        print(lines[-1], flush=True)
        if record:  # after each, in case the run is cut off
            record.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return failed


def sandbox_for(args: argparse.Namespace, folder: Path) -> Sandbox:
    if not args.full:
        return Sandbox(folder, args.build)
    clone = folder / "clone"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    subprocess.run(["make", "-s", "build"], cwd=clone, check=True)  # what bin/ pages call
    return Sandbox(clone, None)


def warn(found: list[Page], wanted: list[Command]) -> None:
    """What pages lack that only a GPU can give: commands that were not run on one, and numbers."""
    lines = RECORDED.read_text("utf-8").splitlines() if RECORDED.exists() else []
    ran = {line.partition("  ")[2] for line in lines if line.startswith("0 ")}
    for command in wanted:
        if command.needs_gpu and command.text not in ran:
            print(f"warning: {command.place}: not run on a GPU yet: {command.text}")
    for page in found:
        for row in re.finditer(r"^\|.*not measured yet", page.prose, re.MULTILINE):
            print(f"warning: {page.name}:{page.line(row.start())}: not measured yet")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--quick", action="store_true", help="what proves them (the default)")
    parser.add_argument("--full", action="store_true", help="as printed, in a fresh clone")
    parser.add_argument("--gpu", action="store_true", help="those that need a GPU")
    parser.add_argument("--record", type=Path, metavar="FILE", help="with --gpu: what succeeded")
    parser.add_argument("page", nargs="*")
    args = parser.parse_intermixed_args()  # pages may follow options
    found = [page for page in pages() if not args.page or page.name in args.page]
    found.sort(key=lambda page: page.name.count("/"))  # the front page first
    wanted = [command for page in found for command in page.commands()]
    if not wanted or not (args.full or (args.build / "bin").is_dir()):
        parser.error(f"{args.build}/bin: not a build, or no command in these pages")
    with tempfile.TemporaryDirectory() as folder:
        sandbox = sandbox_for(args, Path(folder))
        if args.gpu or args.full:
            failed = run_all(sandbox, wanted, args.gpu, args.record)
        else:
            failed = run_quick(sandbox, wanted)
    if not args.quick:
        warn(found, wanted)
    for complaint in filter(None, failed):
        print(complaint)
    return 1 if any(failed) else 0


if __name__ == "__main__":
    sys.exit(main())
