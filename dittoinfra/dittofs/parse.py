"""What an answer says about adapters, or why it cannot be believed."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from dittoinfra.dittofs.strictjson import UnbelievableError, read_json
from dittoinfra.dittofs.wording import Hide, quote
from dittoinfra.model import DEFAULT_PORTS, ReportedAdapter
from dittoinfra.settings.base import AdapterType

HIGHEST_PORT = 65535

_T = TypeVar("_T")

_ADAPTER_TYPE: TypeAdapter[str] = TypeAdapter(AdapterType)


@dataclass(frozen=True, slots=True)
class Refused:
    """Why an answer is nonsense, on one line, quoting what was wrong."""

    reason: str


def parse_adapters(
    body: bytes, content_type: str = "", hide: Hide = str
) -> tuple[ReportedAdapter, ...] | Refused:
    """Every adapter of an answer, or none of them: half a list would look like adapters that are gone."""
    try:
        adapters = _adapters(read_json(body))
        _refuse_echoes(adapters, hide)
    except UnbelievableError as error:
        # A login page or a proxy's error page is recognised soonest by its type.
        kind = content_type.partition(";")[0].strip().lower()
        foreign = "" if kind in ("", "application/json") else f" ({quote(kind, hide)})"
        return Refused(f"the answer{foreign} {error.quoted(hide)}")
    return adapters


def _adapters(value: object) -> tuple[ReportedAdapter, ...]:
    if not isinstance(value, list):
        raise UnbelievableError("is not a list", value)
    adapters = tuple(_adapter(item, index) for index, item in enumerate(value))
    if twice := _first_repeated(adapter.type for adapter in adapters):
        raise UnbelievableError("names a type twice", twice)
    # A disabled adapter does not listen: only enabled ones can stand in each other's way.
    if shared := _first_repeated(adapter.port for adapter in adapters if adapter.enabled):
        raise UnbelievableError("has two enabled adapters on one port", shared)
    return adapters


def _refuse_echoes(adapters: tuple[ReportedAdapter, ...], hide: Hide) -> None:
    # A type names objects in the cluster and in the state: an echoed password would be published there.
    for adapter in adapters:
        if hide(adapter.type) != adapter.type:
            raise UnbelievableError("has a type that contains one of our secrets", adapter.type)


def _adapter(item: object, index: int) -> ReportedAdapter:
    if not isinstance(item, dict):
        raise UnbelievableError(f"has an item {index} that is not an object", item)
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
        raise UnbelievableError(f"has an item {index} whose type is no adapter type", value) from None


def _port(item: dict[str, object], adapter_type: str) -> int:
    port = _field(item, "port", adapter_type)
    # Python's True is an int; JSON's true is no port.
    if not isinstance(port, int) or isinstance(port, bool):
        raise UnbelievableError(f"has a port of {adapter_type} that is not a whole number", port)
    if not 0 <= port <= HIGHEST_PORT:
        raise UnbelievableError(f"has a port of {adapter_type} outside 1..{HIGHEST_PORT}", port)
    if port == 0 and adapter_type not in DEFAULT_PORTS:
        raise UnbelievableError("has port 0 for a type whose default port is not known", adapter_type)
    return port or DEFAULT_PORTS[adapter_type]


def _flag(item: dict[str, object], key: str, adapter_type: str) -> bool:
    value = _field(item, key, adapter_type)
    if not isinstance(value, bool):
        raise UnbelievableError(f"has {key} of {adapter_type} neither true nor false", value)
    return value


def _field(item: dict[str, object], key: str, owner: str) -> object:
    if key not in item:
        raise UnbelievableError(f"lacks {key} of {owner}")
    return item[key]


def _first_repeated(values: Iterable[_T]) -> _T | None:
    return next((value for value, times in Counter(values).items() if times > 1), None)
