#!/usr/bin/env python3
"""Alters copies of common/cuda/gpu, each in one place, and has words_match.py compare them with it.

Fails if an alteration that matters goes unnoticed, or one that does not is reported. Some samples
of C++ check the parser by itself.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from words_match import Word, compare, words_of

# Alterations of the CUDA headers: header, pattern, replacement.
NOTICED = [
    ("sync.hpp", r"\belect_one\b", "elect_any"),
    ("sync.hpp", r"barrier_sync\(int id, int threads\)", "barrier_sync(int id, unsigned threads)"),
    ("sync.hpp", r"barrier_sync\(int id, int threads\)", "barrier_sync(int id)"),
    ("sync.hpp", r"inline bool elect_one", "inline int elect_one"),
    ("cp_async.hpp", r"template <int kPending>", "template <unsigned kPending>"),
    ("ldmatrix.hpp", r"\(&out\)\[N\]", "(&out)[4]"),
    ("mbarrier.hpp", r"Token arrive\(", "void arrive("),
    ("mbarrier.hpp", r"void invalidate\(\)", "void invalidate() const"),
    ("mbarrier.hpp", r"Token = std::uint64_t", "Token = unsigned"),
    ("mbarrier.hpp", r"std::uint64_t word;", "std::uint64_t word; int more;"),
    ("mbarrier.hpp", r"alignas\(8\)", "alignas(16)"),
    ("wgmma.hpp", r"bool accumulate = true", "bool accumulate = false"),
    ("wgmma.hpp", r"int kSignB = 1", "int kSignB = -1"),
    ("wgmma.hpp", r"using core::Major;", "using other::Major;"),
    ("tma.hpp", r"0x12F0000000000000", "0x12F0000000000001"),
    ("tma.hpp", r"const void\* smem\)", "void* smem)"),
    ("thread.hpp", r"kWarpSize = 32", "kWarpSize = 64"),
    ("launch.hpp", r"bool programmatic = false;", ""),
    ("launch.hpp", r"\(void \(\*kernel\)\(Params\.\.\.\), const", "(void (*kernel)(), const"),
    ("clock.hpp", r"namespace gpu", "namespace other"),
]
UNNOTICED = [
    ("sync.hpp", r"barrier_sync\(int id, int threads\)",
     "barrier_sync(int, int n, runtime::Site where = runtime::Site::current())"),
    ("sync.hpp", r"inline bool elect_one\(\)",
     "[[nodiscard]] bool elect_one(runtime::Site where = runtime::Site::current())"),
    ("ldmatrix.hpp", r"\(&out\)\[N\], const void\* row", "(&fragment)[N], const void* p"),
    ("mbarrier.hpp", r"\bToken token\)", "Token odd, runtime::Site where = {})"),
    ("launch.hpp", r"Stream stream, Args&&\.\.\. args", "Stream, Args&&... arguments"),
    ("global.hpp", r"namespace detail \{", "namespace detail { int unseen(); "),
    ("tma.hpp", r"struct CachePolicy \{", "struct CachePolicy { private: int unseen(); public:"),
]  # fmt: skip


def alterations_seen(common: Path) -> list[str]:
    originals = common / "cuda" / "gpu"
    words = words_of(originals)
    faults = compare(words, words, strict=True)
    moved = [Word(w.name, w.text, "sync.hpp") if w.name == "mma_m16n8k16" else w for w in words]
    if not compare(words, moved, strict=True):
        faults.append("a word in another header went unnoticed")
    for noticed, alterations in ((True, NOTICED), (False, UNNOTICED)):
        for header, pattern, replacement in alterations:
            source = (originals / header).read_text()
            altered, count = re.subn(pattern, replacement, source)
            with tempfile.TemporaryDirectory() as folder:
                for path in originals.glob("*.hpp"):
                    text = altered if path.name == header else path.read_text()
                    (Path(folder) / path.name).write_text(text)
                lines = compare(words, words_of(Path(folder)), strict=True)
            if count == 0:
                faults.append(f"{header}: nothing matches {pattern}")
            elif bool(lines) != noticed:
                faults.append(f"{header}: {pattern} -> {replacement}: {lines or 'unnoticed'}")
    return faults


# Declarations, and how they are to be read.
SAMPLES = [
    ("class C { C(int a) : x_{a}, y_(a) { f(); } public: C(); };",
     ["C::C: C()", "C: class C {  }"]),
    ("struct S { C(int a) : x_{a}, y_(a) { f(); } };", ["S::C: C(int)", "S: struct S {  }"]),
    ("struct S { operator bool() const { return a < b; } S& operator =(const S&) = delete; };",
     ["S::operatorbool: operator bool() const", "S::operator=: S& operator =(const S&) = delete",
      "S: struct S {  }"]),
    ("struct alignas(64) S { alignas(16) char a[4] = {}; std::array<int, 2> b; static int c; };",
     ["S::c: static int c",
      "S: struct alignas(64)S { alignas(16)char a[4] = {}; std::array<int, 2> b; }"]),
    ("struct S; enum class E : char { kA, kB = 2, };", ["E: enum class E:char { kA, kB = 2 }"]),
    ("inline constexpr K a{1}, b{2};", ["a: constexpr K a{1}", "b: constexpr K b{2}"]),
    ("auto f(int (*g)(int), T (&d)[N], unsigned = 3) -> int { if (a) { b(); } }  // { ;",
     ["f: auto f(int(*)(int), T(&)[N], unsigned = 3) -> int"]),
    ("void f(runtime::Site where = runtime::Site::current()) {} static_assert(x, \"{\");",
     ["f: void f()"]),
    ("namespace detail { void f(); } using A = struct T*;", ["A: using A = struct T*"]),
]  # fmt: skip


def samples_read() -> list[str]:
    faults = []
    for source, expected in SAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "sample.hpp").write_text(f"namespace gpu {{\n{source}\n}}\n")
            found = [f"{word.name}: {word.text}" for word in words_of(Path(folder))]
        if found != expected:
            faults.append(f"{source}\n  is read as {found}\n  instead of {expected}")
    return faults


def main() -> int:
    faults = samples_read() + alterations_seen(Path(__file__).resolve().parents[2])
    print("\n".join(faults) if faults else "every alteration was seen")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
