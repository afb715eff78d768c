"""Which stacks an operation is about."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase

from dittoinfra.automation import Project
from dittoinfra.exitcodes import ExitCode
from dittoinfra.loading import load_ahead

_GLOB = frozenset("*?[")


class SelectionError(Exception):
    """No stacks to work on: one line, and the exit code that fits."""

    def __init__(self, line: str, exit_code: int) -> None:
        super().__init__(line)
        self.exit_code = exit_code


@dataclass(frozen=True, slots=True)
class Selection:
    """What somebody said about the stacks that are meant."""

    patterns: tuple[str, ...] = ()
    """Names, or globs such as `prod-*`."""
    every: bool = False
    tags: tuple[str, ...] = ()
    """`name` or `name=value`; a stack must have all of them."""

    @property
    def names_only(self) -> bool:
        """Whether every stack is called by its full name, and nothing else is asked of it."""
        return bool(self.patterns) and not self.tags and not any(map(_is_glob, self.patterns))


def select_stacks(project: Project, selection: Selection, *, creates: bool) -> tuple[str, ...]:
    """The stacks that are meant, or `SelectionError`.

    A stack is there when the backend knows it or, for an operation that `creates` it, when it has a
    configuration file.
    """
    configured = project.configured_stacks()
    # Every start of the CLI costs half a second, and these are there or will be.
    if creates and selection.names_only and set(selection.patterns) <= set(configured):
        return tuple(dict.fromkeys(selection.patterns))
    if creates:
        load_ahead()  # the CLI takes a while to list them, and then a program is run
    known = project.listing()
    available = sorted({*known.names, *(configured if creates else ())})
    if selection.tags:
        tagged = [set(project.known_stacks(tag)) for tag in selection.tags]
        available = [name for name in available if all(name in names for names in tagged)]
    return choose(selection, available, known.selected)


def choose(selection: Selection, available: Sequence[str], selected: str | None) -> tuple[str, ...]:
    """The stacks that are meant among those that there are, each once. Pure."""
    if selection.patterns:
        return _matching(selection.patterns, available)
    if selection.every or selection.tags:
        if not available:
            tags = " with " + " and ".join(selection.tags) if selection.tags else ""
            raise SelectionError(
                f"there is no stack{tags} here; begin one with `dittoinfra init`", ExitCode.NO_SUCH_STACK
            )
        return tuple(available)
    if selected is not None and selected in available:
        return (selected,)
    if len(available) == 1:
        return (available[0],)
    these = f" ({_listed(available)})" if available else ""
    raise SelectionError(f"which stack? Name one or several{these}, or say --all", ExitCode.CONFIGURATION)


def _matching(patterns: Iterable[str], available: Sequence[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    unknown: list[str] = []
    for pattern in patterns:
        matches = [name for name in available if name == pattern or fnmatchcase(name, pattern)]
        found.update(dict.fromkeys(matches))
        if not matches:
            unknown.append(_unknown(pattern, available))
    if unknown:
        raise SelectionError("; ".join(unknown), ExitCode.NO_SUCH_STACK)
    return tuple(found)


def _unknown(pattern: str, available: Sequence[str]) -> str:
    if _is_glob(pattern):
        return f"no stack matches {pattern!r}" + (f"; there are {_listed(available)}" if available else "")
    near = get_close_matches(pattern, available, n=3)
    if near:
        return f"there is no stack {pattern!r}; did you mean {' or '.join(map(repr, near))}?"
    return f"there is no stack {pattern!r}" + (f"; there are {_listed(available)}" if available else "")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:8])
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown


def _is_glob(pattern: str) -> bool:
    return not _GLOB.isdisjoint(pattern)
