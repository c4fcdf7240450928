#!/usr/bin/env python3
"""A chapter's kernel as one CUDA file: what `make copy` writes.

    single_file.py FOLDER      prints it; FOLDER: a chapter's, with copy.cuh

The file is made of the sources: main.cu with all that it includes of the project, without the declarations
that nothing in it reaches, and without the branches that the line `// Given:` of copy.cuh rules out. Where
what is given is a constant, a static_assert stays in the place of the branches. The chapter keeps its
comments; of those in common/ the first sentences stay.
"""
import re
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COMMON = ROOT / "common"
# The concept SmallFloat is left with bf16 alone, and main.cu refuses larger problems.
FP16 = " || std::same_as<T, fp16>"
GIVEN = {"std::same_as<T, core::bf16>": "true", "std::same_as<A, core::MatrixDescriptor>": "true",
         "tiles > std::numeric_limits<std::int32_t>::max()": "false", "shape.programmatic": "false",
         "scope": "Scope::kBlock"}
UNUSED = set()  # operators of types, which no name shows
# Statements. The driver refuses a wrong map, too; the assertions are weaker than those that come with GIVEN.
LEFT_OUT = ("shape.planned", "core::require_valid", r"static_assert\(kRank >= 2", r"static_assert\(N == 1")
HOPPER_ALONE = r""") {
#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
  __trap();  // nvcc may add PTX for later GPUs, which have no wgmma
#else
\1#endif
}"""
PARTS = {"core": "Small types", "gpu": "What the kernel needs of the GPU", "gemm": "The problem",
         "layout": "Layouts", "": "The kernel", "copy": "The program: checks and times it"}
ABOUT = """// The kernel of {}: one CUDA file, made from the sources by `make copy`. It takes bf16 alone.
//
//   nvcc -std=c++20 --expt-relaxed-constexpr -arch=sm_{} gemm.cu -o gemm
"""
TOKEN = re.compile(r"""//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'|[A-Za-z_]\w*|\d[\w.']*|::|->|\s+|.""", re.S)
ELSE = re.compile(r"\s*else\b\s*")


def tokens(text, start=0):
    """(position, token) of all but space and comments."""
    return ((m.start(), m[0]) for m in TOKEN.finditer(text, start) if not re.match(r"\s|//", m[0]))


def closing(text, start, pairs="()[]{}"):
    """The position of the bracket that closes the one at `start`."""
    depth = 0
    for at, token in tokens(text, start):
        depth += (token in pairs[::2]) - (token in pairs[1::2])
        if depth == 0:
            return at
    raise ValueError("no end of " + text[start:start + 60])


def statement_end(text, start):
    """Behind the declaration or statement that begins at `start`."""
    at = start
    while True:
        at, token = next(tokens(text, at), (len(text), ";"))
        at = closing(text, at) + 1 if token in "([{" else at + len(token)
        following = next(tokens(text, at), (0, ""))[1]
        if token == ";" or token == "{" and following not in list(";,({=)[.<-+*/?") or at >= len(text):
            return at


def bare_declaration(text):
    """Without comments, `template <...>`, and attributes in parentheses."""
    text = re.sub(r"//[^\n]*", "", text).strip()
    while match := re.match(r"template\s*<", text):
        text = text[closing(text, match.end() - 1, "()[]{}<>") + 1:].strip()
    return re.sub(r"\b(__launch_bounds__|alignas)\s*\((?:[^()]|\([^()]*\))*\)\s*|\[\[\w+\]\]\s*", "", text)


def arguments(text):
    """The arguments or parameters of a list without its parentheses."""
    depth, parts, inner = 0, [""], None
    while inner != text:
        inner, text = text, re.sub(r"(?<=\w)<[^<>();]*>", "", text)
    for _, token in tokens(text):
        depth += (token in "([{") - (token in ")]}")
        parts[-1] += "" if token == "," and depth == 0 else token
        if token == "," and depth == 0:
            parts.append("")
    return parts


class Item:
    """A declaration and the comment before it. Those in a type's braces are its members."""

    def __init__(self, namespace, text, inner=False):
        self.namespace, self.text, self.kept = namespace, text, False
        self.arity, self.members = None, []
        bare = self.bare = bare_declaration(text)
        kind = re.match(r"(?:struct|class|enum class|enum)\s+(\w+)", bare)
        call = re.match(r"(?!static_assert)[^=({;\[]*?(\boperator[^(]*|~?\w+)\s*\(", bare)
        value = re.search(r"(?!static_assert)\b(\w+)\s*(?:\[[^\]]*\])*\s*[={;]", bare)
        self.name = next((match[1] for match in (kind, call, value) if match), None)
        if kind and "{" in bare and not bare.startswith("enum") and not inner:
            begin = next(at for at, token in tokens(text) if token == "{")
            end = closing(text, begin)
            last_line = text.rindex("\n", 0, end) if "\n" in text[begin:end] else end
            self.head, self.tail = text[:begin + 1], text[last_line:]
            self.members = [Item(namespace, piece, inner=True) for piece in pieces(text[begin + 1:end])]
        elif call and not kind:
            inside = bare[call.end():closing(bare, call.end() - 1)]
            given, self.parameters = arguments(inside), re.findall(r"\w+", inside)
            most = 99 if any("..." in one for one in given) else len(given)
            self.arity = range(len([one for one in given if "=" not in one and "..." not in one]), most + 1)

    def may_go(self, owner):
        """Whether a member goes where nothing names it."""
        if self.bare.startswith("bool operator==") or self.name in UNUSED:
            return True
        special = not self.name or self.name.strip("~") == owner.name or self.name.startswith("operator")
        default = re.fullmatch(r"(static constexpr )?[\w:]+ \w+ = [^,]*;", self.bare)
        return not special and (self.arity or default or self.bare.startswith(("using", "struct")))

    def render(self):
        if not self.members:
            return self.text
        return self.head + "".join(m.render() for m in self.members if m.kept).rstrip() + self.tail


def pieces(text):
    """Declarations, each with the space and the comments around it."""
    out, at = [], 0
    while first := next(tokens(text, at), None):
        label = re.compile(r"(public|private)\s*:").match(text, first[0])
        end = label.end() if label else statement_end(text, first[0])
        end = re.compile(r"[ \t]*(//[^\n]*)?").match(text, end).end()
        out.append(text[at:end])
        at = end
    return out


class Given:
    """What holds in the file, so that branches can go."""

    def __init__(self, text):
        found = re.search(r"// Given: ((?:.*\n//)*.*)\.\n", text)
        facts = re.sub(r"\s*\n//", "", found[1]).split(", ") if found else []
        self.facts = GIVEN | dict(fact.rsplit(" == ", 1) for fact in facts)
        UNUSED.update(name for name, value in self.facts.items() if value == "unused")

    def value(self, condition):
        """True, False, or None where that is open."""
        condition = condition.replace("detail::", "")
        negated = condition.startswith("!")
        match = re.fullmatch(r"([\w:.]+) (==|!=) ([\w:]+)", condition)
        left, operator, right = match.groups() if match else (condition[negated:], "==", "true")
        found = self.facts.get(left)
        return None if found is None else (found == right) == ((operator == "==") != negated)

    def fold(self, text):
        """A declaration without what is ruled out."""
        at, asserted = 0, set()
        while match := re.compile(r"\bif (constexpr )?\(").search(text, at):
            at = match.end()
            close = closing(text, match.end() - 1)
            condition = " ".join(text[match.end():close].split())
            value = self.value(condition)
            if value is None:
                continue
            (taken, end), otherwise = self.branch(text, close + 1), ""
            if found := ELSE.match(text, end):
                otherwise, end = self.branch(text, found.end())
            taken = taken if value else otherwise
            begin = text.rindex("\n", 0, match.start()) + 1
            indent = re.match(" *", text[begin:])[0]
            lines = textwrap.indent(textwrap.dedent(taken), indent).split("\n")
            lines = [line for line in lines if line.strip()]
            if not lines:  # nor what is said of it
                begin = re.compile(r"(?:^ *//.*\n)*\Z", re.M).search(text[:begin]).start()
            for key in self.facts if match[1] and not condition.startswith("std::same_as") else ():
                if re.search(rf"(?<![\w:.]){re.escape(key)}", condition) and key not in asserted:
                    asserted.add(key)
                    lines.insert(0, f"{indent}static_assert({key} == {self.facts[key]});".replace(" == true", ""))
            if re.match(r"\s*return\b[^;]*;$", taken):
                end = max(end, re.compile(r"(?:.*\n)*?(?=" + indent[2:] + r"\})").match(text, end).end() - 1)
            text = text[:begin] + "\n".join(lines) + text[end + (not lines):]
            at = begin
        choose = lambda m: m[0] if (value := self.value(m[1])) is None else m[2 if value else 3] + ";"
        text = re.sub(r"(?<== )([\w:]+) \? ([^?;]+?) : ([^?;]+);", choose, text)
        for key, known in self.facts.items():  # a parameter that can have one value only
            text = re.sub(rf"(, |(?<=\())\w+ {re.escape(key)} = {known}\b", "", text)
        return re.sub(r"\n *(" + "|".join(LEFT_OUT) + r")\b[^;]*;", "", text)

    @staticmethod
    def branch(text, start):
        """(what a branch does, without braces; where it ends)."""
        start = next(tokens(text, start))[0]
        end = statement_end(text, start)
        if text[start] == "{":
            return text[start + 1:closing(text, start)], closing(text, start) + 1
        while found := ELSE.match(text, end):
            end = Given.branch(text, found.end())[1]
        return text[start:end], end


class Sources:
    def __init__(self, folder):
        self.folder, self.seen, self.system, self.files = folder, set(), set(), []
        self.chosen = (folder / "copy.cuh").read_text()
        self.given = Given(self.chosen)
        for root in (folder / "kernel.cuh", COMMON / "copy/main.cu"):
            self.add(root)

    def add(self, path):
        """Appends a file behind those that it includes."""
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
        text = re.sub(r"^#(include|pragma once).*\n|^// Given: (.*\n//)*.*\n", "", text, flags=re.M)
        self.files.append((path, text))

    def wgmma_instructions(self):
        width = re.search(r"^using Chosen = .*?<\d+, (\d+),", self.chosen, re.M)[1]
        script = COMMON / "tools/wgmma_instructions.sh"
        command = ["env", "TYPES=f32.bf16.bf16", "PLACES=shared", script, "wgmma", width]
        text = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout
        wrap = lambda m: re.sub(r"(.{1,88},) (?=%)", r'\1 "\n      "', m[0])  # strings end with their lines
        text = re.sub(r'"wgmma.*{.*"', wrap, text)
        return re.sub(r'("\+f".*"\+f"\S+)', lambda m: textwrap.fill(m[0], 92).replace("\n", "\n        "), text)

    def items(self, path, text):
        """The comment that a file begins with, and its declarations."""
        header = re.match(r"\s*((?://.*\n)+)\n", text)
        at, spaces, out = header.end() if header else 0, [], []
        while first := next(tokens(text, at), None):
            if match := re.compile(r"namespace\s*([\w:]*)\s*\{").match(text, first[0]):
                spaces.append(match[1])
                at = match.end()
            elif first[1] == "}":
                spaces.pop()
                at = text.index("\n", first[0])
            else:
                end = re.compile(r"[ \t]*(//[^\n]*)?").match(text, statement_end(text, first[0])).end()
                piece, at = self.given.fold(text[at:end]), end
                if path.is_relative_to(COMMON) and path.name != "main.cu":
                    piece = first_sentences(piece)
                piece = piece.replace(FP16, "")
                space = "::".join(spaces)
                out.append(Item(space.removesuffix("::detail"), piece))
        return (header[1] if header else ""), out


def first_sentences(text):
    """With the first sentence of every comment that stands on lines of its own."""
    comment = re.compile(r"^( *//[^\n]*\n)+", re.M)
    sentence = re.compile(r"(.*?[\w)`\]>][.])(?=\s|$)(?! *//)", re.S)
    return comment.sub(lambda m: (found[1] + "\n") if (found := sentence.match(m[0])) else m[0], text)


def references(text):
    """(namespace or type, name, number of arguments or None, whether of an object) of what a text names."""
    found = list(tokens(text))
    for i, (at, token) in enumerate(found):
        if re.match(r"[A-Za-z_]", token):
            space = found[i - 2][1] if i > 1 and found[i - 1][1] == "::" else "detail"
            call = re.compile(r"\w+(<[^<>();]*>)?\(").match(text, at)
            given = arguments(text[call.end():closing(text, call.end() - 1)]) if call else []
            count = len(given) if call and not any("..." in one for one in given) else None
            yield space, token, count, i > 0 and found[i - 1][1] in (".", "->", "::")


def mark(items, roots, namespaces):
    """Marks what the roots need."""
    by_name, queue, named = {}, [], set()
    for item in items:
        for one, of in [(item, None)] + [(member, item) for member in item.members]:
            by_name.setdefault(one.name, []).append((one, of))

    def open_overload(item):
        """Whether it is one of several that differ by types, of which some are not in the file so far."""
        overloads = [one for one, of in by_name[item.name] if not of and one.arity == item.arity]
        types = [one for word in (item.parameters if item.arity else []) for one, _ in by_name.get(word, [])]
        return len(overloads) > 1 and any(one.bare.startswith("struct") and not one.kept for one in types)

    def keep(item, owner=None):
        if not item.kept and not open_overload(item):
            item.kept = True
            queue.append((item.namespace, owner or item, item.head if item.members else item.text))
            for member in item.members:
                if not member.may_go(item) or member in named:
                    keep(member, item)

    for item in roots:
        keep(item)
    while queue:
        here, of, text = queue.pop()
        for space, name, count, dotted in references(text):
            home = space if space in namespaces else here.split("::")[0]
            for item, owner in by_name.get(name, []):
                meant = home in ("", item.namespace.split("::")[0])
                if owner:
                    meant = (owner is of or dotted) and space not in namespaces
                if meant and (count is None or item.arity is None or count in item.arity):
                    named.add(item)
                    if not owner or owner.kept:
                        keep(item, owner)


def main():
    sources = Sources(ROOT / sys.argv[1])
    files = [(path, path.parent.name if path.parent.name in PARTS else "", *sources.items(path, text))
             for path, text in sources.files]
    files.sort(key=lambda file: [*PARTS].index(file[1]))
    items = [item for *_, found in files for item in found]
    mark(items, [item for path, *_, found in files if path.name in ("copy.cuh", "main.cu") for item in found],
         {item.namespace.split("::")[0] for item in items} - {""})
    for before, item in zip(items, items[1:]):  # an assertion goes with what it stands behind
        item.kept = before.kept if item.name is None else item.kept
    for kernel in items:
        if kernel.name == "gemm_kernel" and any(item.name == "wgmma" and item.kept for item in items):
            kernel.text = re.sub(r"\) \{\n((?:.*\n)*)\}", HOPPER_ALONE, kernel.text)
    body, namespace, part = [], "", None

    def enter(space):
        nonlocal namespace
        if space != namespace:
            body.extend([f"\n\n}}  // namespace {namespace}"] if namespace else [])
            body.extend([f"\n\nnamespace {space} {{\n"] if space else [])
            namespace = space

    for path, own, header, found in files:
        kept = [item for item in found if item.kept]
        if kept and own != part:
            enter("")
            part = own
            body.append(f"\n\n// --- {PARTS[part]} " + "-" * (92 - len(PARTS[part])) + "\n")
        if kept and header and part in ("", "copy"):
            body.append("\n\n" + header)
        for item in kept:
            enter(item.namespace)
            body.append(item.render())
    enter("")
    text = re.sub(r"\n{3,}", "\n\n", "".join(body).replace("detail::", "")).strip() + "\n"
    words = set(re.findall(r"\w+", text))
    needs = {"optional": "optional", "array": "array", "limits": "numeric_limits", "cuda_runtime_api.h": "",
             "bit": "bit_cast has_single_bit", "cuda_fp16.h": "__half2float"}
    headers = [name for name in sources.system if name not in needs or words & set(needs[name].split())]
    headers.sort(key=lambda name: (not name.endswith(".h"), name))
    folder = sources.folder
    arch = re.search(r"ARCHS (\w+)", (folder / "CMakeLists.txt").read_text())
    print(ABOUT.format(folder.name, arch[1] if arch else 80))
    print("".join(f"#include <{name}>\n" for name in headers), text, sep="\n", end="")


if __name__ == "__main__":
    main()
