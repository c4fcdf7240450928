#!/usr/bin/env python3
"""Holds the words of common/cuda/gpu and common/cpu/gpu against each other.

usage: words_match.py [--common DIR] [--list]

A kernel compiles on both backends only if both offer the same words. This reads what namespace gpu
declares in the headers of both folders (gpu::detail is nobody's business) and prints a line for
each word that differs in its name, template parameters, parameters, return type, value or header.
Exit status 1 if any does.

Not compared: __device__, inline, [[attributes]], names of function parameters, comments, bodies,
and the CPU's last parameter `runtime::Site where`. --list prints what was read.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

# Words of one backend alone.
ONE_SIDED = {
    "cuda": {"check": "turns a cudaError_t into an exception; the CPU backend has none"},
    "cpu": {},
}
# Words that both have, each with contents of its own.
OWN_CONTENTS = {
    "Stream": "each backend's own handle",
    "TensorMap": "opaque: the driver's 128 bytes, or what the CPU model needs to know",
}

TOKEN = re.compile(
    r"""[A-Za-z_]\w* | \d[\w.']* | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' |
        :: | -> | && | \|\| | \.\.\. | <= | >= | == | != | \S""",
    re.VERBOSE,
)
DROPPED = {"__device__", "__host__", "__forceinline__", "__noinline__", "inline", "friend"}
OPENING = {"(": ")", "[": "]", "{": "}"}
BUILT_IN = {"const", "volatile", "unsigned", "signed", "int", "long", "short", "char", "bool"}
BUILT_IN |= {"float", "double", "void", "auto"}


@dataclass(frozen=True)
class Word:
    name: str  # with the struct it belongs to
    text: str  # the normalised declaration
    header: str


class ParseError(Exception):
    pass


def tokenise(source: str) -> list[str]:
    """Without comments, preprocessor lines, attributes and backend markers."""
    literal_or_comment = r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/'
    source = re.sub(
        literal_or_comment,
        lambda m: m.group() if m.group().startswith('"') else " ",
        source,
        flags=re.DOTALL,
    )
    source = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", "", source, flags=re.MULTILINE)
    source = re.sub(r"\[\[.*?\]\]", " ", source, flags=re.DOTALL)
    tokens = [token for token in TOKEN.findall(source) if token not in DROPPED]
    return ["class" if token == "typename" else token for token in tokens]


def closing(tokens: list[str], start: int) -> int:
    """Index of the bracket that closes the one at `start`."""
    stack = []
    for i in range(start, len(tokens)):
        if tokens[i] in OPENING:
            stack.append(OPENING[tokens[i]])
        elif stack and tokens[i] == stack[-1]:
            stack.pop()
            if not stack:
                return i
    raise ParseError(f"'{tokens[start]}' is never closed")


def closing_angle(tokens: list[str], start: int) -> int:
    depth, i = 0, start
    while i < len(tokens):
        if tokens[i] in OPENING:
            i = closing(tokens, i)
        elif tokens[i] == "<":
            depth += 1
        elif tokens[i] == ">":
            depth -= 1
            if depth == 0:
                return i
        i += 1
    raise ParseError("'<' is never closed")


def split(tokens: list[str], separator: str = ",") -> list[list[str]]:
    """At separators that are in no bracket."""
    parts, depth = [[]], 0
    for token in tokens:
        if token == separator and depth == 0:
            parts.append([])
            continue
        depth += (token in "([{<") - (token in ")]}>")
        parts[-1].append(token)
    return [part for part in parts if part]


def join(tokens: list[str]) -> str:
    out = ""
    for token in tokens:
        both_words = out and re.match(r"[\w\"]", token) and re.search(r"[\w\"]$", out)
        after_type = out and re.match(r"\w", token) and re.search(r"[>&*]$", out)
        out += " " * bool(both_words or after_type or token == "=" or out.endswith("=")) + token
        out += " " * (token == ",")
    return out.strip()


def parameter(tokens: list[str]) -> str:
    """A function's parameter without its name."""
    parts = split(tokens, "=")
    declarator, default = parts[0], tokens[len(parts[0]) :]
    for i, token in enumerate(declarator):
        # void (*kernel)(Params...), float (&d)[N]
        if token == "(" and declarator[i + 1] in ("*", "&", "&&") and declarator[i + 3] == ")":
            return join(declarator[: i + 2] + declarator[i + 3 :] + default)
    end = len(declarator)
    while declarator[end - 1] == "]":
        end = max(i for i in range(end) if declarator[i] == "[")
    name = declarator[end - 1]
    before = [token for token in declarator[: end - 1] if token not in ("const", "volatile")]
    named = re.match(r"[A-Za-z_]", name) and name not in BUILT_IN and before
    if named and before[-1] != "::":
        declarator = declarator[: end - 1] + declarator[end:]
    return join(declarator + default)


def is_site(tokens: list[str]) -> bool:
    return "".join(tokens).startswith(("runtime::Site", "Site"))


class Header:
    """The words of one header, found by `read`."""

    def __init__(self, path: Path):
        self.name = path.name
        self.words: list[Word] = []
        try:
            tokens = tokenise(path.read_text())
            self.read(tokens, [], "")
        except (ParseError, IndexError, ValueError) as error:
            sys.exit(f"words_match: {path} is beyond me: {error}")

    def add(self, struct: str, name: str, text: str) -> None:
        self.words.append(Word(struct + name, text, self.name))

    def read(
        self, tokens: list[str], namespace: list[str], struct: str, public: bool = True
    ) -> list[str]:
        """Records the declarations of a scope; returns a struct's data members, in order."""
        members, i = [], 0
        while i < len(tokens):
            if tokens[i] == ";":
                i += 1
            elif tokens[i] in ("public", "private", "protected") and tokens[i + 1] == ":":
                public = tokens[i] == "public"
                i += 2
            elif tokens[i] == "namespace":
                body = tokens.index("{", i)
                end = closing(tokens, body)
                inner = namespace + [token for token in tokens[i + 1 : body] if token != "::"]
                if inner == ["gpu"]:
                    self.read(tokens[body + 1 : end], inner, "")
                i = end + 1
            else:
                head, body, i = self.declaration(tokens, i)
                if public and namespace == ["gpu"] and head:
                    members += self.record(head, body, namespace, struct)
        return members

    def declaration(self, tokens: list[str], start: int) -> tuple[list[str], list[str], int]:
        """One declaration: its tokens without a body, a struct's or enum's body, what follows."""
        i = start
        head: list[str] = []
        initialisers = False  # of a constructor
        while i < len(tokens):
            token = tokens[i]
            if token == ";":
                return head, [], i + 1
            if token == "{":
                end = closing(tokens, i)
                if self.kind(head) in ("struct", "class", "union", "enum"):
                    return head, tokens[i + 1 : end], tokens.index(";", end) + 1
                initialises = initialisers and re.match(r"\w|>", tokens[i - 1])
                if initialises or not self.is_function(head):
                    head += tokens[i : end + 1]
                    i = end + 1
                    continue
                return head, [], end + 1
            if token in "([":
                end = closing(tokens, i)
                head += tokens[i : end + 1]
                i = end + 1
                continue
            if token == "<" and head and head[-1] == "template":
                end = closing_angle(tokens, i)
                head += tokens[i : end + 1]
                i = end + 1
                continue
            initialisers |= token == ":" and head[-1] in (")", "noexcept")
            head.append(token)
            i += 1
        raise ParseError(f"a declaration without an end: {join(head)[:60]}")

    @staticmethod
    def template_head(head: list[str]) -> list[str]:
        end = 0
        while end < len(head) and head[end] == "template":
            end = closing_angle(head, end + 1) + 1
        return head[:end]

    def kind(self, head: list[str]) -> str:
        rest = head[len(self.template_head(head)) :]
        return rest[0] if rest else ""

    def is_function(self, head: list[str]) -> bool:
        """Whether parentheses, other than those of alignas, come before any '='."""
        rest = head[len(self.template_head(head)) :]
        if "(" not in rest:
            return False
        before = self.before_parameters(rest)
        return len(before) < len(rest) and ("operator" in before or "=" not in before)

    def record(self, head: list[str], body: list[str], namespace, struct: str) -> list[str]:
        template = self.template_head(head)
        rest = head[len(template) :]
        prefix = join(template) + " " if template else ""
        if rest[0] in ("static_assert", "extern"):
            return []
        if rest[0] == "using":
            self.add(struct, rest[1] if "=" in rest else rest[-1], prefix + join(rest))
        elif rest[0] == "concept":
            self.add(struct, rest[1], prefix + join(rest))
        elif rest[0] in ("struct", "class", "union") and body:
            heads = split(rest, ":")[0]
            heads = heads[: heads.index("<")] if "<" in heads else heads  # a specialisation
            name = heads[-1] if heads[-1] != "final" else heads[-2]
            members = self.read(body, namespace, f"{struct}{name}::", rest[0] != "class")
            contents = " ".join(member + ";" for member in members)
            self.add(struct, name, f"{prefix}{join(rest)} {{ {contents} }}")
        elif rest[0] == "enum":
            name = split(rest, ":")[0][-1]
            self.add(struct, name, f"{join(rest)} {{ {join(body).rstrip(', ')} }}")
        elif rest[0] in ("struct", "class", "union"):
            return []  # declared ahead of its definition
        elif self.is_function(head):
            self.function(prefix, rest, struct)
        else:
            return self.variables(prefix, rest, struct)
        return []

    @staticmethod
    def before_parameters(rest: list[str]) -> list[str]:
        """What comes before a function's parameters; everything if there are none."""
        i = 0
        while i < len(rest) and (rest[i] != "(" or rest[i - 1] == "alignas"):
            if rest[i] == "operator":  # its name may be () or <
                return rest[: rest.index("(", i + 2)]
            if rest[i] == "<":
                i = closing_angle(rest, i)
            elif rest[i] in OPENING:
                i = closing(rest, i)
            i += 1
        return rest[:i]

    def function(self, prefix: str, rest: list[str], struct: str) -> None:
        before = self.before_parameters(rest)
        operator = before.index("operator") if "operator" in before else len(before) - 1
        name = "".join(before[operator:])
        end = closing(rest, len(before))
        parameters = split(rest[len(before) + 1 : end])
        if parameters and is_site(parameters[-1]):
            parameters.pop()
        after = rest[end + 1 :]
        if ":" in after:  # a constructor's initialisers
            after = after[: after.index(":")]
        listed = ", ".join(parameter(p) for p in parameters if p != ["void"])
        text = f"{prefix}{join(before)}({listed}) {join(after)}".strip()
        self.add(struct, name, text)

    def variables(self, prefix: str, rest: list[str], struct: str) -> list[str]:
        """Of a namespace: one word each. Of a struct: static ones are words, others members."""
        declarators = split(rest)
        first = declarators[0]
        at = 0  # where the first declarator's name is
        while at + 1 < len(first) and first[at + 1] not in ("=", "{", "["):
            at = closing_angle(first, at + 1) + 1 if first[at + 1] == "<" else at + 1
        if first[at] == ">":
            raise ParseError(f"cannot tell the name in {join(first)}")
        members = []
        for i, declarator in enumerate(declarators):
            whole = declarator if i == 0 else first[:at] + declarator
            text = prefix + join(whole)
            if struct and "static" not in first[:at]:
                members.append(text)
            else:
                self.add(struct, first[at] if i == 0 else declarator[0], text)
        return members


def words_of(folder: Path) -> list[Word]:
    return [word for path in sorted(folder.glob("*.hpp")) for word in Header(path).words]


def compare(cuda: list[Word], cpu: list[Word], strict: bool = False) -> list[str]:
    """The differences, a line each. `strict`: without the lists of what may differ."""
    sides = {"cuda": cuda, "cpu": cpu}
    headers = {side: {word.header for word in words} for side, words in sides.items()}
    lines = []
    for side, other in (("cuda", "cpu"), ("cpu", "cuda")):
        for header in sorted(headers[side] - headers[other]):
            lines.append(f"{header}: missing in {other}/gpu, or without words")
    names = sorted({(word.header, word.name) for words in sides.values() for word in words})
    seen = set()
    for header, name in names:
        if name in seen:
            continue
        seen.add(name)
        found = {s: {w for w in words if w.name == name} for s, words in sides.items()}
        places = {s: {w.header for w in words} for s, words in found.items()}
        alone = next((s for s in sides if not found["cpu" if s == "cuda" else "cuda"]), None)
        if alone:
            if strict or name not in ONE_SIDED[alone]:
                texts = sorted(w.text for w in found[alone])
                lines += [f"{header}: {name}: only in {alone}: {text}" for text in texts]
            continue
        if places["cuda"] != places["cpu"]:
            cuda_at, cpu_at = (", ".join(sorted(places[s])) for s in ("cuda", "cpu"))
            lines.append(f"{name}: in {cuda_at} on cuda, in {cpu_at} on cpu")
        if not strict and name in OWN_CONTENTS:
            continue
        texts = {s: sorted(w.text for w in words) for s, words in found.items()}
        for side, other in (("cuda", "cpu"), ("cpu", "cuda")):
            missing = [text for text in texts[side] if text not in texts[other]]
            lines += [f"{header}: {name}: only in {side}: {text}" for text in missing]
    if not strict:
        lines += stale_permissions({s: {w.name for w in words} for s, words in sides.items()})
    return lines


def stale_permissions(names: dict[str, set[str]]) -> list[str]:
    lines = []
    for side, allowed in ONE_SIDED.items():
        other = "cpu" if side == "cuda" else "cuda"
        for name in allowed:
            if name not in names[side] or name in names[other]:
                lines.append(f"{name}: allowed to exist only in {side}, which is not how it is")
    for name in OWN_CONTENTS:
        if name not in names["cuda"] | names["cpu"]:
            lines.append(f"{name}: allowed to differ, but does not exist")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares the words of the two backends.")
    parser.add_argument("--common", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--list", action="store_true", help="print what was read")
    options = parser.parse_args()
    if options.list:
        for side in ("cuda", "cpu"):
            for word in words_of(options.common / side / "gpu"):
                print(f"{side}: {word.header}: {word.name}: {word.text}")
        return 0
    cuda, cpu = (words_of(options.common / side / "gpu") for side in ("cuda", "cpu"))
    lines = compare(cuda, cpu)
    print("\n".join(lines) if lines else f"{len(cuda)} words, the same in both")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
