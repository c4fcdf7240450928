"""What the scripts share besides their data: one-line errors, exit statuses, whole files."""

import argparse
import importlib.util
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, NoReturn

ROOT = Path(__file__).resolve().parent.parent


class ResultError(Exception):
    """Something that cannot be used; the message is one line and names the file."""


class Parser(argparse.ArgumentParser):
    """Complains in one line, without the usage text in front, and exits with status 2."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}", file=sys.stderr)
        raise SystemExit(2)


def size(text: str) -> int:
    """An edge length on the command line."""
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a positive whole number, found '{text}'")
    return int(text)


def figure_path(text: str) -> Path:
    path = Path(text)
    if path.suffix not in (".svg", ".png"):
        raise argparse.ArgumentTypeError(f"expected a name ending in .svg or .png, found '{text}'")
    return path


def need(module: str) -> None:
    """Ends a script in one line where a library that it needs is missing."""
    if importlib.util.find_spec(module) is None:
        name = Path(sys.argv[0]).name
        print(f"{name}: needs {module}: apt-get install python3-{module}", file=sys.stderr)
        raise SystemExit(2)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turns what a file lacks, or holds in another form, into one line that names the file."""
    try:
        yield
    except OSError as error:
        raise ResultError(f"{path}: {error.strerror or error}") from None
    except (
        AttributeError, TypeError, ValueError, ArithmeticError, LookupError, RuntimeError
    ) as error:  # fmt: skip
        words = " ".join(f"{type(error).__name__}: {error}".split())
        raise ResultError(f"{path}: does not hold what is expected: {words[:200]}") from error


def read_json(path: Path) -> dict:
    """The object that a JSON file holds."""
    with reading(path):
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        return {**data}


def write_atomically(path: os.PathLike, data: bytes) -> None:
    """Replaces a file in one step, so that a reader or an interruption never sees half of it."""
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError as error:  # named after the file that was asked for, not the temporary one
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        temporary.unlink(missing_ok=True)


def run(main: Callable[[], int]) -> NoReturn:
    """Runs a script: what cannot be used ends it with one line and status 2, not a traceback; so do
    a full disk, and an interrupt with the status that a shell gives it."""
    try:
        status = main()
        sys.stdout.flush()
        raise SystemExit(status)
    except ResultError as error:
        print(f"{error}", file=sys.stderr)
    except OSError as error:
        print(f"{error.filename or 'output'}: {error.strerror or error}", file=sys.stderr)
    except KeyboardInterrupt:
        print(f"{Path(sys.argv[0]).name}: interrupted", file=sys.stderr)
        raise SystemExit(130) from None
    raise SystemExit(2)
