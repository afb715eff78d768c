"""What every settings model shares: strictness, names and the kinds of values."""

import re
from collections.abc import Mapping
from datetime import timedelta
from ipaddress import ip_network
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.alias_generators import to_camel
from pydantic.config import JsonDict

from dittoinfra.naming import ABSENCE_ANNOTATION

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_WHOLE_UNITS = (("h", timedelta(hours=1)), ("m", timedelta(minutes=1)), ("s", timedelta(seconds=1)))
_BINARY_UNITS = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL_UNITS = ("", "k", "M", "G", "T", "P", "E")
_SIZE = re.compile(r"([1-9][0-9]{0,17})([KMGTPE]i|[kMGTPE])?")
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"


class Settings(BaseModel):
    """A block of the stack's configuration: camelCase keys, nothing unknown, nothing coerced."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        extra="forbid",
        frozen=True,
        strict=True,
        # A refused value may be a secret: pydantic must not repeat it in its own messages.
        hide_input_in_errors=True,
    )


def duration_text(value: timedelta) -> str:
    """A duration in its largest whole unit, such as `20s`: as people write it here, and as Go reads it."""
    for unit, length in _WHOLE_UNITS:
        if value and not value % length:
            return f"{value // length}{unit}"
    milliseconds = f"{value / timedelta(milliseconds=1):.3f}"
    return f"{milliseconds.rstrip('0').rstrip('.')}ms"


def _duration(value: object) -> object:
    if isinstance(value, timedelta):
        return value
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError("must be a duration such as 500ms, 20s or 2m")
    try:
        return timedelta(seconds=float(match[1]) * _UNITS[match[2]])
    except OverflowError:
        raise ValueError("is too long") from None


def _at_most(hours: int) -> AfterValidator:
    def check(value: timedelta) -> timedelta:
        if not timedelta(0) < value <= timedelta(hours=hours):
            raise ValueError(f"must be longer than nothing and at most {hours}h")
        return value

    return AfterValidator(check)


def _duration_schema(example: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": f"^{_DURATION.pattern}$", "examples": [example]})


def filled(template: str, values: Mapping[str, str]) -> str:
    """The template with its placeholders, such as `{server}`, replaced."""
    return PLACEHOLDER.sub(lambda found: values[found[1]], template)


def canonical_quantity(size: str) -> str:
    """A size with the largest unit that leaves it whole: 1024Mi is 1Gi.

    A claim spelled another way is another claim to the engine, and a StatefulSet is replaced for it.
    """
    match = _SIZE.fullmatch(size)
    if match is None:
        raise ValueError("must be a whole number with a unit, such as 10Gi")
    number, unit = int(match[1]), match[2] or ""
    units, step = (_BINARY_UNITS, 1024) if unit.endswith("i") else (_DECIMAL_UNITS, 1000)
    place = units.index(unit)
    if number * step**place >= 2**63:
        raise ValueError("must be less than 8Ei, the most that Kubernetes can count")
    while place < len(units) - 1 and number % step == 0:
        number, place = number // step, place + 1
    return f"{number}{units[place]}"


def _cidr(value: str) -> str:
    try:
        # Kubernetes takes neither a lone address, nor a mask in dots, nor a zone.
        if re.fullmatch(r"[0-9A-Fa-f.:]+/[0-9]+", value):
            ip_network(value)
            return value
    except ValueError:
        pass
    raise ValueError("must be a network such as 10.0.0.0/8, with no bits set behind its length")


def matching(pattern: str, refusal: str) -> AfterValidator:
    """Accepts text that the pattern matches as a whole."""

    def check(value: str) -> str:
        if re.fullmatch(pattern, value) is None:
            raise ValueError(refusal)
        return value

    return AfterValidator(check)


def _target_port(value: int | str) -> int | str:
    if isinstance(value, int):
        valid = 1 <= value <= 65535
    else:
        valid = len(value) <= 15 and re.fullmatch(r"(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*", value) is not None
    if not valid:
        raise ValueError(
            "must be a port's number, or its name: at most 15 lower-case letters, digits and single '-' "
            "between them, with a letter"
        )
    return value


def _host_name(value: str) -> str:
    labels = value.removeprefix("*.").split(".")
    if not all(re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", label) for label in labels):
        raise ValueError("must be a host name such as files.example.com, in lower case")
    return value


def _label_key(value: str) -> str:
    prefix, slash, name = value.rpartition("/")
    invalid_prefix = slash and re.fullmatch(_SUBDOMAIN, prefix) is None
    if invalid_prefix or re.fullmatch(r"[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?", name) is None:
        raise ValueError("must be a Kubernetes key, such as example.com/name")
    if len(prefix) > 253 or len(name) > 63:
        raise ValueError("must have at most 63 characters, and at most 253 before its '/'")
    return value


def _annotation_key(value: str) -> str:
    # Kubernetes asks of an annotation's key what it asks of a label's, but for upper case in the prefix.
    _label_key(value.lower())
    return value


def _not_the_counter(value: str) -> str:
    # The stack counts absences in it: a number written here could remove a Service too early.
    if value == ABSENCE_ANNOTATION:
        raise ValueError("is where absences are counted; it cannot be configured")
    return value


NULL_SWITCHES_OFF: JsonDict = {"nullable": True}
"""In a block's schema: a nearer layer may write `null` to switch off what a farther one configured."""

Duration = Annotated[timedelta, BeforeValidator(_duration), _at_most(1), _duration_schema("20s")]
# A thousand days: longer than any lifetime that makes sense, and far from what Go can count.
LongDuration = Annotated[timedelta, BeforeValidator(_duration), _at_most(24_000), _duration_schema("168h")]
Quantity = Annotated[
    str,
    AfterValidator(canonical_quantity),
    WithJsonSchema({"type": "string", "pattern": f"^{_SIZE.pattern}$", "examples": ["10Gi"]}),
]
Port = Annotated[int, Field(ge=1, le=65535)]
Cidr = Annotated[str, AfterValidator(_cidr)]
_DnsLabel = matching(_LABEL, "must be lower-case letters, digits and '-' between them")
# A Service's name must, where a plain DNS label need not.
_StartsWithLetter = matching(r"[a-z].*", "must start with a letter")
ServicePortName = Annotated[str, Field(max_length=63), _DnsLabel]
TargetPort = Annotated[int | str, AfterValidator(_target_port)]
ServiceName = Annotated[str, Field(max_length=63), _DnsLabel, _StartsWithLetter]
ObjectName = Annotated[
    str,
    Field(max_length=253),
    matching(_SUBDOMAIN, "must be lower-case letters, digits, and '-' or '.' between them"),
]
HostName = Annotated[str, Field(max_length=253), AfterValidator(_host_name)]
Namespace = Annotated[str, Field(max_length=63), _DnsLabel]
LabelKey = Annotated[str, Field(max_length=317), AfterValidator(_label_key)]
LabelValue = Annotated[str, Field(max_length=63, pattern=r"^([A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?)?$")]
AnyAnnotationKey = Annotated[str, Field(max_length=317), AfterValidator(_annotation_key)]
AnnotationKey = Annotated[AnyAnnotationKey, AfterValidator(_not_the_counter)]
# A StatefulSet's Pods carry its name and a revision hash in one 63-character label.
ServerName = Annotated[str, Field(max_length=52), _DnsLabel, _StartsWithLetter]
AdapterType = Annotated[str, Field(max_length=63, pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$")]
DataKey = Annotated[str, Field(max_length=253, pattern=r"^[-._a-zA-Z0-9]+$")]


class SecretKey(Settings):
    """A key of a Secret that exists already, in the server's namespace."""

    secret: ObjectName
    """Name of the Secret."""
    key: DataKey
    """Key in it."""
