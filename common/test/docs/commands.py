#!/usr/bin/env python3
"""Runs the commands that the pages print.

usage: commands.py BUILD_DIR [--quick | --full | --gpu [--record FILE]] [PAGE...]

--quick, which is what it does without an option: in a folder where BUILD_DIR is `build`, with problems no larger than 256.
`make` is asked what it would do, and the chapter's program is run instead of built; of what needs a GPU
the same variants and shapes are checked on the CPU backend. --full: as printed, one after the other, in
a fresh clone, which takes long. --gpu: those marked (GPU), as printed but with one round, and with
--record into a file which of them succeeded. What pages still lack of a GPU is a warning.

Exit status 1 when a command fails, with page and line; 2 for bad usage.
"""

from __future__ import annotations

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

LARGEST, SMALL = 256, 64  # extents of a quick run: the most, and where none is given
# What ends with another status than 0, and which.
STATUS = {
    "layout --brief 'source_tv(4, tiled_mma_b((2,4,1), <32,32,16>))'": 2,
}
# Pages whose console blocks are compared with what programs print by tests of their own.
COMPARED_ELSEWHERE = {"common/layout/README.md"}
# Not run from here, not even in full: they run this, or hold a GPU for long.
NOT_FROM_HERE = (
    "make test",
    "make record",
    "make gpu-check",
    "make docs-check",
    "make new",
    "python3 -m unittest",
)
# Files that stand for what a reader has made.
GIVEN = {
    "run.json": "h200_burst.json",
    "hot.json": "h200_sustained.json",
    "t.json": "timeline_07_cpu.json",
    "o.json": "tile_orders.json",
}
RECORDED = "plots/results/h200_commands.txt"


class Sandbox:
    """A folder in which commands run that were printed for the repository's root."""

    def __init__(self, folder: Path, build: Path | None) -> None:
        self.folder = folder
        if build:
            for entry in ROOT.iterdir():
                if not entry.name.startswith(("build", ".")):
                    (folder / entry.name).symlink_to(entry)
            (folder / "build").symlink_to(build.resolve())
        tools = folder / ".tools"
        tools.mkdir()
        found = subprocess.run([ROOT / "common/tools/python.sh"], capture_output=True, text=True)
        self.has_matplotlib = found.returncode == 0
        if self.has_matplotlib:
            wrapper = f'#!/bin/sh\nexec {shlex.quote(found.stdout.strip())} "$@"\n'
            (tools / "python3").write_text(wrapper)
            (tools / "python3").chmod(0o755)
        path = f"{tools}:{folder / 'build' / 'bin'}:{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path, "HOME": str(folder)}
        for name, source in GIVEN.items():
            shutil.copy(ROOT / "plots" / "results" / source, folder / name)

    def run(self, text: str, timeout: int) -> tuple[int, str]:
        try:
            done = subprocess.run(
                ["bash", "-c", text], cwd=self.folder, env=self.environment, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return 124, f"not done after {timeout} s"
        return done.returncode, done.stdout


def smaller(text: str) -> str:
    """The command with every extent behind --size and --shape cut to LARGEST, or a small size."""
    if re.search(r"--(?:check|counters)\b", text) and not re.search(r"--(?:size|shape)\b", text):
        if not re.search(r"gallery|lab|\|", text):
            text += f" --size {SMALL}"

    def cut(match: re.Match) -> str:
        values = re.sub(
            r"\d+", lambda extent: str(min(int(extent.group()), LARGEST)), match.group(2)
        )
        return match.group(1) + ",".join(dict.fromkeys(values.split(",")))

    return re.sub(r"(--(?:size|shape|time)[ =])([\dx,]+)", cut, text)


def on_cpu(text: str) -> str:
    """A command for a GPU as the CPU backend can check it: its names and its shapes."""
    text = re.sub(r"((?:\d\d_|build/bin/)[a-z_]+?)(_cpu|_traced)?(?= |$)", r"\1_cpu", text, count=1)
    text = re.sub(r" --(?:ablation|cold|tune)\b| --(?:mode|rounds|json) \S+", "", text)
    text = re.sub(r"--layout \S+ ", "", text)
    return text.replace("--bench", "--check")


def only_named(text: str) -> bool:
    """Whether a page speaks of the command, which wants a chapter when it is typed."""
    return text in ("make copy", "make profile", "make run", "make bugs", "make new")


def chapter_folder(name: str) -> str:
    """As `make` finds it: a chapter by number or name, an aside by its name."""
    for path in sorted([*ROOT.glob("[0-9][0-9]_*"), *ROOT.glob("[0-9][0-9]_*/*/")]):
        if path.is_dir() and (path.name == name or re.fullmatch(rf"{name}_\D\w*", path.name)):
            return path.relative_to(ROOT).as_posix()
    return ""


def program(name: str) -> str:
    """The program of a chapter or an aside, without what it is built for."""
    return chapter_folder(name).rpartition("/")[2]


def made_quick(command: Command) -> list[str]:
    """What to run for a command of `make`: what it would do, and its program."""
    words = shlex.split(command.text)
    given = dict(word.split("=", 1) for word in words if "=" in word)
    out = [f"make -n {command.text.removeprefix('make ')}"]
    if words[1] == "diff":
        return [command.text]
    if words[1] == "new":  # has a test of its own
        return []
    if "CHAPTER" not in given and not given.get("ARGS"):  # only named, or the same for all
        return out
    if words[1] == "run":
        text = f"build/bin/{program(given['CHAPTER'])}_cpu {given.get('ARGS', '')}"
        out.append(smaller(on_cpu(text)))
    elif words[1] == "profile":
        script = "python3 common/tools/profile_chapter.py build"
        out.append(f"{script} {chapter_folder(given['CHAPTER'])} {given.get('ARGS', '')}")
    elif words[1] == "gallery" and given.get("ARGS"):
        out.append(f"build/bin/gallery {given['ARGS']}")
    elif words[1] == "bugs":
        bugs = f"{chapter_folder(given['CHAPTER'])}/bugs/*.patch"
        out.append(f"test $(ls {bugs} | wc -l) -ge {given['ARGS']}")
    return out


def on_gpu(text: str) -> str:
    """A command for a GPU with one round; where programs are built already, without `make`."""
    words = shlex.split(text)
    if words[:2] == ["make", "run"]:
        given = dict(word.split("=", 1) for word in words[2:])
        text = f"build/bin/{program(given['CHAPTER'])} {given.get('ARGS', '')}"
    if text.endswith("time_linear.py"):
        text += " --rounds 1"
    return text.replace("--bench", "--bench --rounds 1")


def is_program(text: str) -> bool:
    """Whether a command starts the program of a chapter or an aside for the GPU."""
    name = re.match(r"(?:build/bin/)?(\w+)", text)
    return name is not None and program(name.group(1)) == name.group(1)


def of_a_new_chapter(text: str) -> bool:
    """Whether a command is of the chapter that `make new` makes, which has a test of its own."""
    return re.search(r"(?:CHAPTER|TO)=10\b|10_mine", text) is not None


def quick(command: Command, sandbox: Sandbox) -> list[str]:
    """The quick commands that prove this one."""
    text = command.text
    if of_a_new_chapter(text):
        return []
    if text.startswith("make "):
        return made_quick(command)
    if text.startswith("cmake "):
        return [f"{text} -DHOUSE_CUDA=OFF".replace("-B build/", f"-B {sandbox.folder}/")]
    if text.startswith("ctest "):  # compile gates are there with a CUDA compiler alone
        cache = sandbox.folder / "build" / "CMakeCache.txt"
        if "compile_gate" in text and "CUDAToolkit_BIN_DIR" not in cache.read_text():
            return []
        return [f"{text} -N | grep -q 'Total Tests: [1-9]'"]
    if text.startswith("python3 -m unittest"):
        return []
    if text.startswith("plots/") and not sandbox.has_matplotlib:
        return []
    if command.needs_gpu and not re.match(r"build/bin/|\d\d_", text):
        return []  # nothing here can stand for it
    if command.needs_gpu or is_program(text):
        return [smaller(on_cpu(text))]
    return [text if command.printed is not None else smaller(text)]


def differs(command: Command, printed: str) -> str | None:
    """Where a console block is not what the command printed."""
    if command.printed is None or command.page in COMPARED_ELSEWHERE:
        return None
    wanted = [line.rstrip() for line in command.printed]
    got = [line.rstrip() for line in printed.rstrip("\n").split("\n")]
    for i, line in enumerate(wanted):
        if line == "...":  # the rest is left out
            return None
        if i >= len(got) or got[i] != line:
            return f"prints '{got[i] if i < len(got) else ''}', the page says '{line}'"
    return None if len(got) == len(wanted) else f"prints {len(got)} lines, not {len(wanted)}"


def check(command: Command, sandbox: Sandbox, texts: list[str], timeout: int) -> str | None:
    """Runs what proves a command; the complaint if it fails."""
    for text in texts:
        status, printed = sandbox.run(text, timeout)
        wanted = STATUS.get(command.text, 0)
        if command.printed is None and status != wanted:
            tail = " / ".join(printed.strip().split("\n")[-3:])
            what = text if "\n" not in text else command.text
            return f"{command.place}: {what}: status {status}, expected {wanted}: {tail}"
        difference = differs(command, printed)
        if difference:
            return f"{command.place}: {text}: {difference}"
    return None


# Runs scripts of plots/ in one process: to import matplotlib takes longer than most of them.
IN_ONE_PROCESS = """
import runpy, shlex, sys
failed = []
for line in sys.stdin.read().splitlines():
    script, *arguments = shlex.split(line)
    sys.argv, sys.path[0] = [script, *arguments], script.rpartition("/")[0]
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if end.code:
            failed.append(line)
    except Exception as error:
        failed.append(f"{line}: {error}")
sys.exit("; ".join(failed) or 0)
"""


def together(commands: list[Command]) -> list[tuple[Command, list[str]]]:
    """The scripts of plots/ among them, in the order of the pages, as one command."""
    if not commands:
        return []
    lines = "\n".join(dict.fromkeys(command.text for command in commands))
    text = f"python3 -c {shlex.quote(IN_ONE_PROCESS)} <<'END'\n{lines}\nEND"
    return [(commands[0]._replace(text="the scripts of plots/"), [text])]


def run_quick(build: Path, wanted: list[Command]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        sandbox = Sandbox(Path(folder), build)
        jobs: dict[tuple, tuple[Command, list[str]]] = {}
        for command in wanted:
            if command.page in COMPARED_ELSEWHERE and command.printed is not None:
                continue
            texts = quick(command, sandbox)
            printed = tuple(command.printed) if command.printed is not None else None
            jobs.setdefault((tuple(texts), printed), (command, texts))
        # What one writes another may read: those that write go first.
        writers = [job for job in jobs.values() if " > " in job[0].text]
        scripts = [job for job in jobs.values() if job[1] and job[1][0].startswith("plots/")]
        others = [job for job in jobs.values() if job not in writers + scripts]
        others = together([command for command, _ in scripts]) + others
        failed = [check(command, sandbox, texts, 120) for command, texts in writers]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            failed += pool.map(lambda job: check(job[0], sandbox, job[1], 120), others)
        print(f"{len(jobs)} commands")
        return [complaint for complaint in failed if complaint]


def run_full(wanted: list[Command]) -> list[str]:
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        sandbox = Sandbox(clone, None)
        subprocess.run(["make", "-s", "build"], cwd=clone, check=True)  # what bin/ pages call
        for command in dict((command.text, command) for command in wanted).values():
            if command.needs_gpu or command.text.startswith(NOT_FROM_HERE):
                continue
            begin = time.monotonic()
            text = f"{command.text} -n" if only_named(command.text) else command.text
            complaint = check(command, sandbox, [text], 3600)
            took = time.monotonic() - begin
            print(f"{'FAIL' if complaint else 'ok  '} {took:6.1f} s  {command.text}", flush=True)
            failed += [complaint] if complaint else []
    return failed


def run_gpu(build: Path, wanted: list[Command], record: Path | None) -> list[str]:
    failed, lines = [], []
    with tempfile.TemporaryDirectory() as folder:
        sandbox = Sandbox(Path(folder), build)
        for text in dict.fromkeys(c.text for c in wanted if c.needs_gpu):
            begin = time.monotonic()
            status, printed = sandbox.run(on_gpu(text), 3600)
            lines.append(f"{status} {time.monotonic() - begin:.1f} s  {text}")
            print(lines[-1], flush=True)
            if record:  # after each, in case the run is cut off
                record.write_text("\n".join(lines) + "\n", encoding="utf-8")
            if status:
                failed.append(f"{text}: status {status}: {printed.strip()[-200:]}")
    return failed


def warnings(found: list[Page]) -> list[str]:
    """What pages lack that only a GPU can give: commands that were not run on one, and numbers."""
    record = ROOT / RECORDED
    lines = record.read_text("utf-8").splitlines() if record.exists() else []
    ran = {line.partition("  ")[2] for line in lines if line.startswith("0 ")}
    out = [
        f"{command.place}: not run on a GPU yet: {command.text}"
        for page in found
        for command in page.commands()
        if command.needs_gpu and command.text not in ran
    ]
    for page in found:
        for number, line in page.prose:
            if line.startswith("|") and "not measured yet" in line:
                out.append(f"{page.name}:{number}: not measured yet")
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the commands that the pages print.")
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
        print(
            f"commands: {args.build}/bin: not a build, or no command in these pages",
            file=sys.stderr,
        )
        return 2
    if args.gpu:
        failed = run_gpu(args.build, wanted, args.record)
    else:
        failed = run_full(wanted) if args.full else run_quick(args.build, wanted)
    for lacking in [] if args.quick else warnings(found):
        print(f"warning: {lacking}")
    for complaint in failed:
        print(complaint)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
