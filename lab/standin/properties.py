"""The engine's properties as plain Python values, and back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.struct_pb2 import Struct, Value
from pulumi.runtime.rpc import UNKNOWN, _special_secret_sig, _special_sig_key

Properties = dict[str, Any]
"""A resource's inputs or outputs: JSON values, whole numbers as int."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that the engine encrypts in its state and hides on the screen."""

    value: Any


def from_struct(struct: Struct) -> Properties:
    """Read properties; a null in a map is the same as no entry, as it is for the Kubernetes API."""
    values = {key: _from_value(value) for key, value in struct.fields.items()}
    return {key: value for key, value in values.items() if value is not None}


def to_struct(properties: Mapping[str, Any]) -> Struct:
    """Write properties for the engine."""
    struct = Struct()
    struct.update({key: _wire(value) for key, value in properties.items()})
    return struct


def plain(value: Any) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    """The value without its secret marks: what the Kubernetes API is given."""
    match value:
        case Secret():
            return plain(value.value)
        case dict():
            return {key: plain(entry) for key, entry in value.items()}
        case list():
            return [plain(entry) for entry in value]
        case _:
            return value


def has_secrets(value: object) -> bool:
    """Whether any part of a value is marked."""
    match value:
        case Secret():
            return True
        case dict():
            return any(has_secrets(entry) for entry in value.values())
        case list():
            return any(has_secrets(entry) for entry in value)
        case _:
            return False


def has_unknowns(value: object) -> bool:
    """Whether a preview's value depends on something that does not exist yet."""
    match value:
        case dict():
            return any(has_unknowns(entry) for entry in value.values())
        case list():
            return any(has_unknowns(entry) for entry in value)
        case _:
            return value == UNKNOWN


def _from_value(value: Value) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    match value.WhichOneof("kind"):
        case "struct_value":
            return _map_or_secret(value.struct_value)
        case "list_value":
            return [_from_value(entry) for entry in value.list_value.values]
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
        case "number_value":
            # The wire has only doubles; Kubernetes refuses 2049.0 where it wants a port.
            number = value.number_value
            return int(number) if number.is_integer() else number
        case _:
            return None


def _map_or_secret(struct: Struct) -> Properties | Secret:
    properties = from_struct(struct)
    if properties.get(_special_sig_key) == _special_secret_sig:
        return Secret(properties.get("value"))
    return properties


def _wire(value: Any) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    match value:
        case Secret():
            return {_special_sig_key: _special_secret_sig, "value": _wire(value.value)}
        case dict():
            return {key: _wire(entry) for key, entry in value.items()}
        case list():
            return [_wire(entry) for entry in value]
        case _:
            return value
