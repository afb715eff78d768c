"""Parses what servers answer, or tells why it cannot be used.

JSON is read strictly: what two readers could understand in two ways is not understood at all.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from dittoinfra.dittofs.text import Hide, quote
from dittoinfra.model import DEFAULT_PORTS, ReportedAdapter
from dittoinfra.settings.base import AdapterType

LONGEST_NUMBER = 20
"""Digits of the largest 64-bit number, with its sign."""

HIGHEST_PORT = 65535

STRICT = ConfigDict(strict=True, frozen=True, hide_input_in_errors=True)
"""Of every model of an answer: a message about it may not quote what it holds."""

_T = TypeVar("_T")

_ADAPTER_TYPE: TypeAdapter[str] = TypeAdapter(AdapterType)
_NOTHING = object()


class InvalidAnswerError(ValueError):
    """An answer that cannot be believed: the problem in our words, the excerpt in the server's."""

    def __init__(self, problem: str, excerpt: object = _NOTHING) -> None:
        super().__init__(problem)
        self.problem = problem
        self.excerpt = excerpt

    def quoted(self, hide: Hide) -> str:
        return self.problem if self.excerpt is _NOTHING else f"{self.problem}: {quote(self.excerpt, hide)}"


def read_json(body: bytes) -> object:
    """The value a body holds; everything dubious raises InvalidAnswerError."""
    try:
        # Decoded here, because json.loads would guess UTF-16 and UTF-32 from bytes.
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidAnswerError(f"is not UTF-8 from byte {error.start} on") from None
    if not text.strip():
        raise InvalidAnswerError("is empty")
    if text.startswith("\ufeff"):
        raise InvalidAnswerError("starts with a byte order mark")
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_unique_keys,
            parse_int=_bounded_int,
            parse_float=_finite_float,
            parse_constant=_no_constant,
        )
    except json.JSONDecodeError as error:
        raise InvalidAnswerError(f"is not JSON from character {error.pos} on", text) from None
    except RecursionError:
        raise InvalidAnswerError("is nested too deeply") from None
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    items: dict[str, Any] = {}
    for key, value in pairs:
        if key in items:
            raise InvalidAnswerError("repeats a key", key)
        items[key] = value
    return items


def _bounded_int(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise InvalidAnswerError("holds a number too large", digits)
    return int(digits)


def _finite_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise InvalidAnswerError("holds a number too large", digits)
    return number


def _no_constant(name: str) -> NoReturn:
    raise InvalidAnswerError("holds a number that JSON does not have", name)


@dataclass(frozen=True, slots=True)
class InvalidAnswer:
    """Why an answer is nonsense, on one line, quoting what was wrong."""

    reason: str


class _User(BaseModel):
    model_config = STRICT

    role: str


def parse_role(body: bytes) -> str | None:
    """The role of the user that an answer is about; None where it does not say."""
    try:
        return _User.model_validate(read_json(body)).role
    except (InvalidAnswerError, ValidationError):
        return None


class PortmapperSettings(BaseModel):
    """What the settings of an nfs adapter say of its portmapper."""

    model_config = STRICT

    portmapper_enabled: bool
    portmapper_port: int | None = None


def parse_portmapper(body: bytes) -> PortmapperSettings | None:
    """The settings of an nfs adapter's portmapper; None where they do not say whether it is on."""
    try:
        return PortmapperSettings.model_validate(read_json(body))
    except (InvalidAnswerError, ValidationError):
        return None


def parse_protocols(body: bytes, default: str | None = None) -> list[str] | None:
    """The protocol of every entry in a list; None where it is no such list, or an entry names none."""
    try:
        entries = read_json(body)
    except InvalidAnswerError:
        return None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return None
    found = [entry.get("protocol", default) for entry in entries]
    return found if all(isinstance(protocol, str) for protocol in found) else None


def parse_adapters(
    body: bytes, content_type: str = "", hide: Hide = str
) -> tuple[ReportedAdapter, ...] | InvalidAnswer:
    """Every adapter of an answer, or none of them: half a list would look like adapters that are gone."""
    try:
        adapters = _adapters(read_json(body), hide)
    except InvalidAnswerError as error:
        # A login page or a proxy's error page is recognised soonest by its type.
        kind = content_type.partition(";")[0].strip().lower()
        foreign = "" if kind in ("", "application/json") else f" ({quote(kind, hide)})"
        return InvalidAnswer(f"the answer{foreign} {error.quoted(hide)}")
    return adapters


def _adapters(value: object, hide: Hide) -> tuple[ReportedAdapter, ...]:
    if not isinstance(value, list):
        raise InvalidAnswerError("is not a list", value)
    adapters = tuple(_adapter(item, index) for index, item in enumerate(value))
    if twice := _first_repeated(adapter.type for adapter in adapters):
        raise InvalidAnswerError("names a type twice", twice)
    # An adapter that is disabled, or waits for a port that is taken, does not listen on it.
    if shared := _first_repeated(adapter.port for adapter in adapters if adapter.enabled and adapter.running):
        raise InvalidAnswerError("has two running adapters on one port", shared)
    for adapter in adapters:
        # A type names objects in the cluster and in the state: an echoed password would be published there.
        if hide(adapter.type) != adapter.type:
            raise InvalidAnswerError("has a type that contains one of our secrets", adapter.type)
    return adapters


def _adapter(item: object, index: int) -> ReportedAdapter:
    if not isinstance(item, dict):
        raise InvalidAnswerError(f"has an item {index} that is not an object", item)
    adapter_type = _type(item, index)
    return ReportedAdapter(
        type=adapter_type,
        port=_port(item, adapter_type),
        enabled=_flag(item, "enabled", adapter_type),
        running=_flag(item, "running", adapter_type),
    )


def _type(item: dict[str, object], index: int) -> str:
    value = _field(item, "type", f"item {index}")
    try:
        return _ADAPTER_TYPE.validate_python(value, strict=True)
    except ValidationError:
        raise InvalidAnswerError(f"has an item {index} whose type is no adapter type", value) from None


def _port(item: dict[str, object], adapter_type: str) -> int:
    port = _field(item, "port", adapter_type)
    # Python's True is an int; JSON's true is no port.
    if not isinstance(port, int) or isinstance(port, bool):
        raise InvalidAnswerError(f"has a port of {adapter_type} that is not a whole number", port)
    if not 0 <= port <= HIGHEST_PORT:
        raise InvalidAnswerError(f"has a port of {adapter_type} outside 1..{HIGHEST_PORT}", port)
    if port == 0 and adapter_type not in DEFAULT_PORTS:
        raise InvalidAnswerError("has port 0 for a type whose default port is not known", adapter_type)
    return port or DEFAULT_PORTS[adapter_type]


def _flag(item: dict[str, object], key: str, adapter_type: str) -> bool:
    value = _field(item, key, adapter_type)
    if not isinstance(value, bool):
        raise InvalidAnswerError(f"has {key} of {adapter_type} neither true nor false", value)
    return value


def _field(item: dict[str, object], key: str, owner: str) -> object:
    if key not in item:
        raise InvalidAnswerError(f"lacks {key} of {owner}")
    return item[key]


def _first_repeated(values: Iterable[_T]) -> _T | None:
    return next((value for value, times in Counter(values).items() if times > 1), None)
