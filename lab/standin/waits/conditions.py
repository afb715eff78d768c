"""`pulumi.com/waitFor`: conditions that a program writes down itself."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from lab.standin.errors import RefusedError
from lab.standin.properties import Properties

Condition = Callable[[Properties], bool]

_STEP = re.compile(r"\.([A-Za-z0-9_-]+)|\['([^']*)'\]|\[\"([^\"]*)\"\]|\[(\d+|\*)\]|\.(\*)")
_BRACES = re.compile(r"\{\s*(.*?)\s*\}")


def conditions(text: str) -> list[Condition]:
    """What one annotation asks for: one expression, or a JSON list of them."""
    try:
        listed = json.loads(text)
    except ValueError:
        listed = None
    expressions = listed if isinstance(listed, list) else [text]
    if not expressions:
        raise RefusedError("at least one condition must be specified")
    return [_condition(str(expression)) for expression in expressions]


def _condition(expression: str) -> Condition:
    if expression.startswith("jsonpath="):
        return JsonPath.parse(expression.removeprefix("jsonpath=")).holds
    if expression.startswith("condition="):
        name, _, wanted = expression.removeprefix("condition=").partition("=")
        return lambda live: _has_condition(live, name, wanted or "True")
    raise RefusedError(f'expected a "jsonpath=" or "condition=" prefix, got "{expression}"')


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A path into an object, and perhaps the value that has to be there."""

    steps: tuple[str, ...]
    value: str

    @classmethod
    def parse(cls, text: str) -> "JsonPath":
        """Read `{.path}` or `{.path}=value`; filters and slices are not known here."""
        path, _, value = text.partition("=")
        braces = _BRACES.search(path)
        if braces is None:
            raise RefusedError(f"{path} should be wrapped in brackets {{ ... }}")
        inner, steps, position = braces.group(1).removeprefix("$"), [], 0
        while position < len(inner):
            found = _STEP.match(inner, position)
            if found is None:
                raise RefusedError(
                    f'parsing "{path}": the stand-in Kubernetes provider knows names and indexes only'
                )
            steps.append(next(group for group in found.groups() if group is not None))
            position = found.end()
        return cls(tuple(steps), value)

    def holds(self, live: Properties) -> bool:
        """Whether the path leads somewhere, and to that value if there is one."""
        if not _is_observed(live, live.get("status") or {}):
            return False
        found = next(_select(live, self.steps), None)
        if found is None:
            return False
        return not self.value or _spelled(found) == self.value


def _select(value: Any, steps: tuple[str, ...]) -> Iterator[Any]:  # noqa: ANN401  (JSON has no narrower type)
    if not steps:
        yield value
        return
    step, rest = steps[0], steps[1:]
    if isinstance(value, dict):
        entries = list(value.values()) if step == "*" else [value[step]] if step in value else []
    elif isinstance(value, list) and step == "*":
        entries = value
    elif isinstance(value, list) and step.isdecimal():
        entries = value[int(step) : int(step) + 1]
    else:
        entries = []
    for entry in entries:
        yield from _select(entry, rest)


def _spelled(value: object) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _has_condition(live: Properties, name: str, wanted: str) -> bool:
    status = live.get("status") or {}
    for entry in status.get("conditions") or []:
        if str(entry.get("type", "")).casefold() == name.casefold():
            seen = entry if "observedGeneration" in entry else status
            return _is_observed(live, seen) and str(entry.get("status", "")).casefold() == wanted.casefold()
    return False


def _is_observed(live: Properties, seen: Properties) -> bool:
    """Whether a status is of the object as it is now; one that names no generation counts as such."""
    generation = live["metadata"].get("generation", 0)
    return bool(seen.get("observedGeneration", generation) >= generation)
