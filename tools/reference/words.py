"""Types and values of settings, as people write them."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Any, Literal, cast, get_args, get_origin

from pydantic import BaseModel, SecretStr, TypeAdapter

from dittoinfra.settings.adapter_settings import HostTemplate, IpAddress
from dittoinfra.settings.base import (
    AdapterType,
    AnnotationKey,
    Cidr,
    Duration,
    HostName,
    LabelKey,
    LabelValue,
    LongDuration,
    Namespace,
    ObjectName,
    Port,
    ServerName,
    duration_text,
)
from dittoinfra.settings.server import ObjectTemplate, Target, Url, UrlTemplate
from dittoinfra.settings.stack import RemovalName

# Pairs and not a mapping: what `Annotated` carries can be compared, but not hashed.
_KINDS: tuple[tuple[object, str], ...] = (
    (Port, "port"),
    (Duration, "duration"),
    (LongDuration, "duration"),
    (Cidr, "network"),
    (Url, "http or https address"),
    (UrlTemplate, "http or https address"),
    (ObjectTemplate, "name"),
    (Target, "pod/name or service/name"),
    (HostName, "host name"),
    (HostTemplate, "host name template"),
    (IpAddress, "IP address"),
    (ObjectName, "name"),
    (Namespace, "namespace"),
    (ServerName, "server name"),
    (AdapterType, "adapter type"),
    (RemovalName, "server/type"),
    (AnnotationKey, "annotation"),
    (LabelKey, "label"),
    (LabelValue, "text"),
    (dict[str, Any], "free-form block"),
)

_PLAIN: dict[object, str] = {
    str: "text",
    bool: "true or false",
    int: "whole number",
    timedelta: "duration",
    SecretStr: "secret text",
}


def type_words(hint: object) -> str:
    """A type in words, such as `whole number, 1 to 100`."""
    kind = next((words for known, words in _KINDS if known == hint), None)
    if kind is not None:
        return kind
    if get_origin(hint) is Annotated:
        return type_words(get_args(hint)[0]) + _range(hint)
    return _structure(hint)


def listed(items: Sequence[str], last: str) -> str:
    """Items as one says them: `a, b or c`."""
    return f" {last} ".join(filter(None, (", ".join(items[:-1]), items[-1])))


def written(value: object) -> object:
    """A setting's value as it stands in YAML."""
    match value:
        case timedelta():
            return duration_text(value)
        case BaseModel():
            return value.model_dump(by_alias=True, exclude_unset=True)
        case _:
            return value


def without_none(hint: object) -> object:
    """The type of a key that is set."""
    choices = [choice for choice in get_args(hint) if choice is not type(None)]
    return choices[0] if type(None) in get_args(hint) and len(choices) == 1 else hint


def _structure(hint: object) -> str:
    hint = without_none(hint)
    arguments = get_args(hint)
    match get_origin(hint):
        case None if isinstance(hint, type) and issubclass(hint, BaseModel):
            return "block"
        case None:
            return _PLAIN[hint]
        case origin if origin is Annotated:
            return type_words(hint)
        case origin if origin is Literal:
            return listed([f"`{choice}`" for choice in arguments], "or")
        case origin if origin is list:
            return f"list of {_plural(type_words(arguments[0]))}"
        case origin if origin is dict:
            return f"map of {_plural(type_words(arguments[0]))} to {_plural(type_words(arguments[1]))}"
        case _:
            raise TypeError(f"{hint} has no words yet; add them here")


def _plural(words: str) -> str:
    return words if words.endswith("text") or "/" in words else f"{words}s"


def _range(hint: object) -> str:
    adapter: TypeAdapter[object] = TypeAdapter(cast("type[object]", hint))
    schema = adapter.json_schema()
    if "minimum" in schema and "maximum" in schema:
        return f", {schema['minimum']} to {schema['maximum']}"
    return ""
