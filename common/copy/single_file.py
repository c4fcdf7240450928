#!/usr/bin/env python3
"""A chapter's kernel as one CUDA file: what `make copy` writes.

    single_file.py FOLDER      prints it; FOLDER: a chapter's, with copy.cuh

It is main.cu with all that it includes of the project, without the declarations and members that nothing in
it names, and without what the line `// Given:` of copy.cuh rules out: branches, of which a static_assert stays
where the condition is a constant, and declarations that hold an unused text. Sources are formatted: what begins
in a line ends with the line that closes its last bracket.
"""
import itertools
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COMMON = ROOT / "common"
GIVEN = {"std::same_as<T, core::bf16>": "true", "std::same_as<A, core::MatrixDescriptor>": "true",
         "tiles > std::numeric_limits<std::int32_t>::max()": "false", "shape.programmatic": "false",
         "scope": "Scope::kBlock", "core::fp16 value": "unused", "operator==": "unused",
         "bytes,Stream": "unused", "<core::fp16> A": "unused", "(&a)[4], std::uint64_t b": "unused"}
# The concept SmallFloat is left with bf16 alone. Parameters have one value, main.cu refuses larger problems, the
# driver refuses a wrong map, and the assertions are weaker than those that come with what is given.
LEFT_OUT = re.compile(r" \|\| std::same_as<T, fp16>|(, )?Scope scope = Scope::kBlock"
                      r"|\n *(shape\.planned|core::require_valid|static_assert\((kRank >= 2|N == 1))\b[^;]*;")
HOPPER_ALONE = r"""\1) {
#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
  __trap();  // nvcc may add PTX for later GPUs, which have no wgmma
#else
\2#endif
}"""
PARTS = {"core": "Small types", "gpu": "What the kernel needs of the GPU", "gemm": "The problem",
         "layout": "Layouts", "": "The kernel", "copy": "The program: checks and times it"}
ABOUT = """// The kernel of {}: one CUDA file, made from the sources by `make copy`. It takes bf16 alone.
//
//   nvcc -std=c++20 --expt-relaxed-constexpr -arch=sm_{} gemm.cu -o gemm
"""
# Of a type, a function or a value, behind `template <...>` and attributes.
NAME = re.compile(r"(?:struct|class|concept|enum class|enum|using)\s+(?:\w+::)*(?:alignas\(.*?\) )?(\w+)"
                  r"|[^=({;\[]*?(operator\b|~?\b\w+)\s*\(|[^={;]*?\b(\w+)\s*(?:\[[^\]]*\])*\s*[={;]")


class Item:
    """A declaration with the comments before it. Those in a type's braces are its members."""

    def __init__(self, namespace, lines, owner=None):
        self.namespace, self.lines, self.owner, self.kept, self.members = namespace, lines, owner, False, []
        self.code = re.sub(r"//.*", "", "\n".join(lines)).strip()
        bare = re.sub(r"^template <(?:[^<>]|<[^<>]*>)*>\s*", "", self.code)
        bare = re.sub(r"(__launch_bounds__|alignas)\((?:[^()]|\([^()]*\))*\)\s*|\[\[\w+\]\]\s*", "", bare)
        # A member that goes where nothing names it.
        self.optional = re.match(r"using|struct|static constexpr \S+ \w+ = [^,]*;|[\w:]+ \w+ = [^,]*;|.*\) ", bare)
        found = None if bare.startswith("static_assert") else NAME.match(bare)
        self.name = found and found[found.lastindex]
        if owner and self.name in (None, owner.name, "operator"):
            self.optional = None
        if bare.startswith("struct") and self.code.endswith("\n};") and not owner:
            first = next(i for i, line in enumerate(lines) if re.search(r"\{(\s*//.*)?$", line))
            self.members = [Item(namespace, found, self) for _, found in declarations(lines[first + 1:-1])]
            self.lines, self.tail = lines[:first + 1], lines[-1:]
            self.code = re.sub(r"//.*", "", "\n".join(self.lines))

    def wanted(self, named):
        """Whether it goes with what is named: its name alone, or in its namespace or in none."""
        if self.owner:
            return self.owner.kept and (not self.optional or self.name in named)
        return (self.namespace.split("::")[0], self.name) in named or ("", self.name) in named

    def text(self):
        members = [line for one in self.members if one.kept for line in one.lines]
        return "\n".join([*self.lines, *members, *(self.tail if self.members else [])])


def declarations(lines):
    """(namespace, lines) of each; lines between declarations belong to the next."""
    spaces, found, depth = [], [], 0
    for line in lines:
        code = re.sub(r"\s*//.*|\"(?:\\.|[^\"\\])*\"|'.'", "", line)
        if depth == 0 and (space := re.match(r"namespace\s*([\w:]*) \{", line)):
            spaces.append(space[1])
        elif depth == 0 and code == "}":
            spaces.pop()
        else:
            found.append(line)
            depth += len(re.findall(r"[({]", code)) - len(re.findall(r"[)}]", code))
            if depth == 0 and code.endswith((";", "}", "private:", "public:")):
                yield "::".join(spaces).removesuffix("::detail"), found
                found = []


class Sources:
    def __init__(self, folder):
        self.folder, self.seen, self.system = folder, set(), set()
        self.items, self.roots = {part: [] for part in PARTS}, []  # the roots are kept for themselves
        self.chosen = (folder / "copy.cuh").read_text()
        given = re.search(r"// Given: ((?:.*\n//)*.*)\.\n", self.chosen)
        given = re.sub(r"\s*\n//", "", given[1]).split(", ") if given else []
        self.facts = GIVEN | dict(fact.rsplit(" == ", 1) for fact in given)
        self.unused = ["".join(text.split()) for text, value in self.facts.items() if value == "unused"]
        keys = "|".join(re.escape(key) for key in self.facts)
        self.branch = re.compile(rf"( *)if (constexpr )?\((!?)({keys})(?: ([!=]=) ([\w:]+))?\) (.*)")
        self.choice = re.compile(rf"(?<== )({keys}) \? (.*?) : (.*?)(?=;)")
        self.add(COMMON / "copy/main.cu")

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
        part = path.parent.name if path.parent.name in PARTS else ""
        text = re.sub(r"^#(include|pragma once).*\n|^// Given: (.*\n//)*.*\n", "", text, flags=re.M)
        text = "\n" + LEFT_OUT.sub("", text.replace("detail::", ""))
        if part not in ("", "copy"):  # without the comment on the file
            text = re.sub(r"\s*(//.*\n)+\n", "\n", text, count=1)
        found = [Item(space, self.fold(lines)) for space, lines in declarations(text.splitlines())]
        if path.name in ("copy.cuh", "main.cu"):
            self.roots += found
        self.items[part] += found

    def fold(self, lines):
        """A declaration's lines without what is ruled out."""
        out, asserted = [], set()

        def block():
            end = next(i for i, line in enumerate(lines) if line.startswith(indent + "}"))
            taken, closing = [line[2:] for line in lines[:end]], lines[end]
            del lines[:end + 1]
            return taken, closing

        while lines:
            line = self.choice.sub(lambda m: m[2 if self.facts[m[1]] == "true" else 3], lines.pop(0))
            if not (found := self.branch.match(line)):
                out.append(line)
                continue
            indent, constant, negated, key, operator, value, rest = found.groups()
            holds = (self.facts[key] == (value or "true")) != (negated == "!" or operator == "!=")
            taken, closing = block() if rest == "{" else ([indent + rest], "}")
            if not holds:
                taken = []
                if "else if" in closing:
                    lines.insert(0, closing.replace("} else ", ""))
                elif closing.endswith("{"):
                    taken, _ = block()
            while holds and closing.endswith("{"):
                _, closing = block()
            if taken and taken[-1].startswith(indent + "return"):
                del lines[:next(i for i, line in enumerate(lines) if line.startswith(indent[2:] + "}"))]
            if constant and key[:5] != "std::" and key not in asserted:
                asserted.add(key)
                taken.insert(0, f"{indent}static_assert({key} == {self.facts[key]});".replace(" == true", ""))
            while not taken and out[-1].strip().startswith("//"):  # nor what is said of it
                out.pop()
            lines[:0] = taken
        return out

    def wgmma_instructions(self):
        width = re.search(r"^using Chosen = .*?<\d+, (\d+),", self.chosen, re.M)[1]
        return subprocess.check_output([COMMON / "tools/wgmma_instructions.sh", "wgmma", width], text=True)


def mark(roots, items, unused):
    """Marks what the roots name, and what that names; without a namespace a name is of its own or of none."""
    spaces = {item.namespace.split("::")[0] for item in items} - {""}
    items = [one for item in items for one in (item, *item.members)]
    items = [one for one in items if not any(text in "".join(one.code.split()) for text in unused)]
    named, queue = set(), roots
    while queue:
        for item in queue:
            item.kept = True
            own = item.namespace.split("::")[0]
            for space, name in re.findall(r"(?:\b(\w+)::)?(\w+)", item.code):
                named |= {name, (space if space in spaces else own, name)}
        queue = [one for one in items if not one.kept and one.wanted(named)]


def main():
    sources = Sources(ROOT / sys.argv[1])
    items = sum(sources.items.values(), [])
    mark(sources.roots, items, sources.unused)
    for before, item in zip(items, items[1:]):  # an assertion goes with what it stands behind
        item.kept = before.kept if item.name is None else item.kept
    body = ""
    for part, found in sources.items.items():
        kept = [item for item in found if item.kept]
        body += f"\n// --- {PARTS[part]} " + "-" * (92 - len(PARTS[part])) + "\n" if kept else ""
        for namespace, group in itertools.groupby(kept, key=lambda item: item.namespace):
            inside = "\n".join(item.text() for item in group) + "\n"
            body += f"\nnamespace {namespace} {{\n{inside}\n}}  // namespace {namespace}\n" if namespace else inside
    if "wgmma.mma_async" in body:
        body = re.sub(r"(\n    gemm_kernel\((?:.*\n)*?.*)\) \{\n((?:.*\n)*?)\}", HOPPER_ALONE, body)
    body = re.sub(r"\n{3,}", "\n\n", body)
    unused = {"cuda_fp16.h", "cuda_runtime_api.h", "limits", "optional"}  # by what is left of common/
    headers = sorted(sources.system - unused, key=lambda name: (not name.endswith(".h"), name))
    arch = re.search(r"ARCHS (\w+)", (sources.folder / "CMakeLists.txt").read_text())
    print(ABOUT.format(sources.folder.name, arch[1] if arch else 80))
    print("".join(f"#include <{name}>\n" for name in headers), body, sep="\n", end="")


if __name__ == "__main__":
    main()
