#!/usr/bin/env python3
"""A chapter's kernel as one CUDA file: what `make copy` writes.

    single_file.py FOLDER      prints it; FOLDER: a chapter's, with copy.cuh

The file is main.cu with all that it includes of the project, less the declarations that nothing in it names.
Sources are formatted, so a declaration ends with the line that closes its last bracket.
"""
import itertools
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COMMON = ROOT / "common"
PARTS = {"core": "Small types", "gpu": "What the kernel needs of the GPU", "gemm": "The problem",
         "layout": "Layouts", "": "The kernel", "copy": "The program: checks and times it"}
ABOUT = """// The kernel of {}: one CUDA file, made from the sources by `make copy`.
//
//   nvcc -std=c++20 --expt-relaxed-constexpr -arch=sm_{} gemm.cu -o gemm
"""
HOPPER_ALONE = r"""\1) {
#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
  __trap();  // nvcc adds PTX for later GPUs, which have no wgmma
#else
\2#endif
}"""
# Of a type, a function or a value, behind `template <...>`.
NAME = re.compile(r"(?:struct|class|concept|enum class|enum|using)\s+(?:\w+::)*(?:alignas\(.*?\) )?(\w+)"
                  r"|[^=({;\[]*?\b(\w+)\s*\(|[^={;]*?\b(\w+)\s*(?:\[[^\]]*\])*\s*[={;]")


class Item:
    """A declaration, with the space and the comments before it."""

    def __init__(self, namespace, text):
        self.namespace, self.text, self.kept = namespace, text, False
        self.code = re.sub(r"//.*", "", text).strip()
        bare = re.sub(r"^template <(?:[^<>]|<[^<>]*>)*>\s*", "", self.code)
        bare = re.sub(r"__launch_bounds__\((?:[^()]|\([^()]*\))*\)\s*|\[\[\w+\]\]\s*", "", bare)
        found = None if bare.startswith("static_assert") else NAME.match(bare)
        self.name = found and found[found.lastindex]


def items(text):
    spaces, lines, depth = [], [], 0
    for line in text.splitlines():
        code = re.sub(r"\s*//.*|\"(?:\\.|[^\"\\])*\"|'.'", "", line)
        if depth == 0 and (found := re.match(r"namespace\s*([\w:]*) \{", line)):
            spaces.append(found[1])
        elif depth == 0 and code == "}":
            spaces.pop()
        else:
            lines.append(line)
            depth += len(re.findall(r"[({]", code)) - len(re.findall(r"[)}]", code))
            if depth == 0 and code.endswith((";", "}")):
                yield Item("::".join(spaces).removesuffix("::detail"), "\n".join(lines))
                lines = []


class Sources:
    def __init__(self, folder):
        self.folder, self.seen, self.system = folder, set(), set()
        self.items, self.roots = {part: [] for part in PARTS}, []  # the roots are kept for themselves
        for root in (folder / "kernel.cuh", COMMON / "copy/main.cu"):
            self.add(root)

    def add(self, path):
        """Appends a file's declarations behind those of the files that it includes."""
        if path in self.seen:
            return
        self.seen.add(path)
        text = path.read_text() if path.exists() else self.wgmma_instructions()
        text = re.sub(r"#if defined\(__CUDACC__\)\n(.*?)(#else.*?)?#endif\n", r"\1", text, flags=re.S)
        for name in re.findall(r'^#include [<"](.*)[>"]', text, re.M):
            places = [place / name for place in (path.parent, self.folder, COMMON, COMMON / "cuda")]
            if found := [place for place in places if place.exists() or name == "gpu/wgmma_instructions.hpp"]:
                self.add(found[-1])
            else:
                self.system.add(name)
        found = list(items(re.sub(r"^#(include|pragma once).*\n", "", text, flags=re.M)))
        if path.name in ("copy.cuh", "main.cu"):
            self.roots += found
        self.items[path.parent.name if path.parent.name in PARTS else ""] += found

    def wgmma_instructions(self):
        width = re.search(r"^using Chosen = .*?<\d+, (\d+),", (self.folder / "copy.cuh").read_text(), re.M)[1]
        command = ["env", "PLACES=shared", COMMON / "tools/wgmma_instructions.sh", "wgmma", width]
        return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def mark(roots, items):
    """Marks what the roots name, and what that names; without a namespace a name is of its own or of none."""
    by_name, queue = {}, roots
    for item in items:
        by_name.setdefault(item.name, []).append(item)
    spaces = {item.namespace.split("::")[0] for item in items} - {""}
    while queue:
        item = queue.pop()
        for space, name in set(re.findall(r"(?:\b(\w+)::)?(\w+)", item.code)) if not item.kept else ():
            home = space if space in spaces else item.namespace.split("::")[0]
            queue += [one for one in by_name.get(name, []) if home in ("", one.namespace.split("::")[0])]
        item.kept = True
    for before, item in zip(items, items[1:]):  # an assertion goes with what it stands behind
        item.kept = before.kept if item.name is None else item.kept


def main():
    sources = Sources(ROOT / sys.argv[1])
    mark(sources.roots, sum(sources.items.values(), []))
    body = ""
    for part, found in sources.items.items():
        kept = [item for item in found if item.kept]
        body += f"\n// --- {PARTS[part]} " + "-" * (92 - len(PARTS[part])) + "\n" if kept else ""
        for namespace, group in itertools.groupby(kept, key=lambda item: item.namespace):
            inside = "\n".join(item.text for item in group) + "\n"
            body += f"\nnamespace {namespace} {{\n{inside}\n}}  // namespace {namespace}\n" if namespace else inside
    if "wgmma.mma_async" in body:
        body = re.sub(r"(\n    gemm_kernel\((?:.*\n)*?.*)\) \{\n((?:.*\n)*?)\}", HOPPER_ALONE, body)
    body = re.sub(r"\n{3,}", "\n\n", body.replace("detail::", ""))
    arch = re.search(r"ARCHS (\w+)", (sources.folder / "CMakeLists.txt").read_text())
    print(ABOUT.format(sources.folder.name, arch[1] if arch else 80))
    headers = sorted(sources.system, key=lambda name: (not name.endswith(".h"), name))
    print("".join(f"#include <{name}>\n" for name in headers), body, sep="\n", end="")


if __name__ == "__main__":
    main()
