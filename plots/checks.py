"""Checks on what a JSON file holds, with complaints that name the file and the field.

A check takes a value and returns what was expected when the value is not that, otherwise None.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn, Optional


class ResultError(Exception):
    """Something that cannot be used; the message is one line and names the file and the place."""


Check = Callable[[Any], Optional[str]]


def is_number(value: Any) -> bool:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False


def number(value: Any) -> str | None:
    return None if is_number(value) else "a number"


def positive(value: Any) -> str | None:
    return None if is_number(value) and value > 0 else "a positive number"


def not_negative(value: Any) -> str | None:
    return None if is_number(value) and value >= 0 else "a number of at least 0"


def extent(value: Any) -> str | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return None if whole and 0 < value < 2**53 else "a positive whole number"


def text(value: Any) -> str | None:
    # JSON can name halves of characters, which cannot be printed.
    whole = isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)
    return None if whole and value.strip() else "a text"


def flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def an_object(value: Any) -> str | None:
    return None if isinstance(value, dict) else "an object"


def a_list(value: Any) -> str | None:
    return None if isinstance(value, list) else "a list"


def one_of(*allowed: Any) -> Check:
    return lambda value: None if value in allowed else " or ".join(str(a) for a in allowed)


def utc_time(value: Any) -> str | None:
    try:
        datetime.strptime(value, "%Y-%m-%dT%H:%M:%SZ")
    except (TypeError, ValueError):
        return "a time like 2026-01-31T12:00:00Z"
    return None


class Node:
    """An object of the file together with its place, so that every complaint can name it."""

    def __init__(self, path: Path, place: str, value: Any) -> None:
        self.path, self.place, self.value = path, place, value

    def fail(self, key: str, message: str) -> NoReturn:
        raise ResultError(f"{self.path}: {self.place}{key}: {message}")

    def get(self, key: str, check: Check, optional: bool = False) -> Any:
        """The checked value of `key`; an optional one may be absent or null (then None)."""
        value = self.value.get(key)
        if value is None and optional:
            return None
        if key not in self.value:
            self.fail(key, "missing")
        expected = check(value)
        if expected:
            found = json.dumps(value)
            self.fail(key, f"expected {expected}, found {found[:40]}{'…' * (len(found) > 40)}")
        return value

    def child(self, key: str, optional: bool = False) -> Node:
        return Node(self.path, f"{self.place}{key}.", self.get(key, an_object, optional) or {})

    def children(self, key: str) -> list[Node]:
        nodes = []
        for i, value in enumerate(self.get(key, a_list)):
            if an_object(value):
                self.fail(f"{key}[{i}]", "expected an object")
            nodes.append(Node(self.path, f"{self.place}{key}[{i}].", value))
        return nodes


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def read_object(path: Path) -> Node:
    """The object that a JSON file holds; raises ResultError with one line if it holds none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_constant)
    except OSError as error:
        raise ResultError(f"{path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise ResultError(f"{path}: not a JSON file: {error}") from None
    if not isinstance(data, dict):
        raise ResultError(f"{path}: expected an object at the top")
    return Node(path, "", data)
