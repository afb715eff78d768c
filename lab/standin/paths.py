"""Property paths as a program writes them: `spec.ports[0].port`, `metadata.annotations["a.b/c"]`."""

import re

from lab.standin.replacing import Path

ANY = "*"
"""Stands for every key of a map and every position of a list."""

_PART = re.compile(r'\.?([^.\["]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\[(\*)\]')


def parse_path(text: str) -> Path | None:
    """The path, or None where the text is none."""
    parts: list[str | int] = []
    position = 0
    while position < len(text):
        found = _PART.match(text, position)
        if found is None:
            return None
        name, index, quoted, star = found.groups()
        if index is not None:
            parts.append(int(index))
        else:
            parts.append(name or star or re.sub(r"\\(.)", r"\1", quoted or ""))
        position = found.end()
    return tuple(parts)


def contains(outer: Path, inner: Path) -> bool:
    """Whether a path leads to another or to something above it."""
    return len(outer) <= len(inner) and all(
        expected in (ANY, found) for expected, found in zip(outer, inner, strict=False)
    )
