"""What the scripts share besides their data: one-line errors, exit statuses, whole files."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Callable, NoReturn

from checks import ResultError


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


def figure_parser(description: str, name: str) -> Parser:
    """The argument that every script with one figure takes: `-o FILE`."""
    parser = Parser(description=description)
    parser.add_argument(
        "-o",
        "--output",
        type=figure_path,
        default=Path(name),
        metavar="FILE",
        help="an .svg or a .png (default: %(default)s)",
    )
    return parser


def chart_parser(description: str, output: str, dtypes: Sequence[str], dtype: str) -> Parser:
    """The arguments that every chart of a result file takes."""
    parser = figure_parser(description, output)
    parser.add_argument(
        "result",
        nargs="?",
        metavar="RESULT.json",
        help="default: the newest recorded burst run in plots/results",
    )
    parser.add_argument("--dtype", choices=dtypes, default=dtype)
    parser.add_argument(
        "--recorded",
        action="store_true",
        help="say in the chart that this machine has no GPU to measure with",
    )
    return parser


def matplotlib_missing() -> str | None:
    """Why no figure can be drawn here, None when one can."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        return f"matplotlib cannot be imported ({error}); apt or pip can install it"
    return None


def need_matplotlib() -> None:
    """Ends a script that draws, before it imports what cannot be there."""
    reason = matplotlib_missing()
    if reason:
        print(f"{Path(sys.argv[0]).name}: no figure: {reason}", file=sys.stderr)
        raise SystemExit(2)


def write_atomically(path: os.PathLike, data: bytes) -> None:
    """Replaces a file in one step, so that a reader or an interruption never sees half of it."""
    path = Path(path)
    temporary = None
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=str(path.parent))
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, str(path))
        temporary = None
    except OSError as error:  # named after the file that was asked for, not the temporary one
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        if temporary:
            os.unlink(temporary)


def run(main: Callable[[], int]) -> NoReturn:
    """Runs a script: what cannot be used ends it with one line and status 2, not a traceback; so do
    a full disk, and an interrupt with the status that a shell gives it."""
    if hasattr(sys.stdout, "reconfigure"):  # names of files may hold what is no text
        sys.stdout.reconfigure(errors="backslashreplace")
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


def draw_from_sources(description: str, write: Callable[[Path], None], name: str) -> int:
    """The main() of a script whose figure needs no recorded run: `-o FILE`, and what was written."""
    args = figure_parser(description, name).parse_args()
    write(args.output)
    print(args.output)
    return 0


def draw_from_file(
    description: str, write: Callable[[Path, Path], object], metavar: str, name: str
) -> int:
    """The main() of a script that draws what a program printed into a file: that file, `-o FILE`."""
    parser = figure_parser(description, name)
    parser.add_argument("printed", type=Path, metavar=metavar)
    args = parser.parse_args()
    write(args.printed, args.output)
    print(args.output)
    return 0
