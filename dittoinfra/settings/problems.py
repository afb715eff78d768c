"""What is wrong with a configuration, in words: where, what, and what would be right."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

NAMESPACE = "dittoinfra"
SECRET_KEYS = frozenset({"passwords", "serverSecrets"})
"""Keys whose values must be encrypted, and are never shown."""

_REMOVED: Mapping[tuple[int | str, ...], str] = {
    (
        "dns",
        "gracePeriod",
    ): "was removed: router-hosts does not read it, and deletes an entry at once; drop it"
}
"""Keys of earlier versions, with the block that they were in."""

_LONGEST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class SettingPath:
    """The way to a setting: a step for each key, and for each place in a list."""

    steps: tuple[int | str, ...]
    namespace: str = ""
    """Empty where the way starts at a block, such as that of a server."""

    def __str__(self) -> str:
        """As in the stack's YAML, such as `dittoinfra:servers[0].api.url`."""
        if not self.steps:
            return self.namespace
        first, *rest = self.steps
        path = f"{first}{''.join(map(_step_text, rest))}"
        return f"{self.namespace}:{path}" if self.namespace else path

    @property
    def reading_order(self) -> tuple[str, tuple[tuple[int, int | str], ...]]:
        """What paths are sorted by; places in lists by their number: servers[2] before servers[10]."""
        return self.namespace, tuple((1, step) if isinstance(step, int) else (0, step) for step in self.steps)


def _step_text(step: int | str) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    # Pulumi's path syntax takes * only in brackets and quotes.
    return '["*"]' if step == "*" else f".{step}"


def path_of(location: Sequence[int | str]) -> SettingPath:
    """The way to one of dittoinfra's own settings."""
    return SettingPath(tuple(location), NAMESPACE)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that must be corrected before anything can run."""

    path: SettingPath
    message: str
    place: str | None = None
    """The file and the line where it is written, as far as that is known."""

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.place, str(self.path), self.message)))


class ConfigurationError(Exception):
    """The stack's configuration cannot be used; every problem is listed."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems), key=lambda this: (this.path.reading_order, this.message)))
        super().__init__("\n".join(map(str, self.problems)))


def problems_of(
    error: ValidationError,
    model: type[BaseModel],
    hidden: Collection[str],
    is_known: Callable[[object], bool] = lambda _: True,
) -> tuple[Problem, ...]:
    """Everything that pydantic refused, in our words; values of hidden keys are never shown.

    A value that is not known yet, in the preview of a program, is no problem.
    """
    return tuple(
        Problem(path_of(_place(detail)), _message(detail, model, hidden))
        for detail in error.errors()
        # For want of a key, the input is the block without it.
        if detail["type"] == "missing" or is_known(detail["input"])
    )


def _place(detail: ErrorDetails) -> tuple[int | str, ...]:
    # pydantic marks a wrong dictionary key with a step of its own, which the YAML does not have.
    return tuple(step for step in detail["loc"] if step != "[key]")


def _message(detail: ErrorDetails, model: type[BaseModel], hidden: Collection[str]) -> str:
    place = _place(detail)
    match detail["type"]:
        case "extra_forbidden":
            removed = _REMOVED.get(place[-2:])
            return removed or unknown_key(str(place[-1]), known_keys(model, place[:-1]))
        case "missing":
            return "is required"
        case _ if place and place[0] in hidden:
            return _refusal(detail)
        case _:
            return _refusal(detail) + _shown(detail["input"])


def _refusal(detail: ErrorDetails) -> str:
    match detail["type"]:
        case "model_type":
            return "must be a block of settings"
        case "value_error":
            return str(detail["ctx"]["error"])
        case "string_type" if isinstance(detail["input"], int | float):
            return "must be text: write it in quotes"
        case _:
            return re.sub("(Input|String) should", "must", detail["msg"])


def _shown(value: object) -> str:
    match value:
        case str() if "@" in value or "?" in value:
            return ""  # an address may carry a password before its host, or a token behind its path
        case str() if len(value) > _LONGEST_SHOWN:
            return f" (it starts with {value[:_LONGEST_SHOWN]!r})"
        case str():
            return f" (it is {value!r})"
        case bool() | float() | None:
            return f" (it is {json.dumps(value)})"
        case int() if abs(value) < 10**_LONGEST_SHOWN:
            return f" (it is {value})"
        case _:
            return ""


def unknown_key(key: str, known: Iterable[str]) -> str:
    """Refusal of an unknown key, with the nearest known one."""
    known = sorted(known)
    near = get_close_matches(key.lower(), [name.lower() for name in known], n=1, cutoff=0.6)
    if near:
        meant = next(name for name in known if name.lower() == near[0])
        return f"is not a known key; did you mean {meant!r}?"
    return f"is not a known key; known here: {', '.join(known)}"


def known_keys(model: type[BaseModel], location: Sequence[int | str]) -> tuple[str, ...]:
    """The keys that a block at this place may have."""
    block = model
    for step in location:
        by_alias = {field.alias or name: field for name, field in block.model_fields.items()}
        field = by_alias.get(str(step))
        if field is not None:
            block = _model_in(field.annotation) or block
    return tuple(field.alias or name for name, field in block.model_fields.items())


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)
