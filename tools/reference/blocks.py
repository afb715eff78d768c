"""Which blocks the configuration has, where each may stand, and which keys it has."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from dittoinfra.settings.base import Settings
from dittoinfra.settings.problems import NAMESPACE
from dittoinfra.settings.stack import StackSettings
from tools.reference.meanings import meanings
from tools.reference.words import type_words


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a block."""

    name: str
    hint: object
    """Its type, with the names that `Annotated` gives to kinds of text and numbers."""
    field: FieldInfo
    meaning: str
    """What it is for."""

    @property
    def default(self) -> object:
        """What it is unless it is set; only a key that is not required has one."""
        return self.field.get_default(call_default_factory=True, validated_data={})

    @property
    def required(self) -> bool:
        """Whether the block is refused without it."""
        return self.field.is_required()


@dataclass(frozen=True, slots=True)
class Block:
    """A block of keys, told once however often it may be written."""

    model: type[BaseModel]
    extends: type[BaseModel] | None
    """The block whose keys it has as well."""
    paths: tuple[str, ...]
    """Where in the stack's YAML it may be written."""
    keys: tuple[Key, ...]
    """Its own keys, without those of the block it extends."""

    @property
    def meaning(self) -> str:
        """What it is for."""
        return " ".join((self.model.__doc__ or "").split())


def keys_of(model: type[BaseModel]) -> tuple[Key, ...]:
    """Every key of a block, inherited ones included."""
    hints = get_type_hints(model, include_extras=True)
    told = meanings(model)
    return tuple(
        Key(field.alias or name, hints[name], field, " ".join(told.get(name, "").split()))
        for name, field in model.model_fields.items()
    )


def blocks() -> tuple[Block, ...]:
    """Every block, an outer one before those inside it."""
    paths: dict[type[BaseModel], list[str]] = {}
    for path, model in _walk(StackSettings, ""):
        for part in _family(model):
            paths.setdefault(part, []).append(path)
    return tuple(_block(model, places) for model, places in paths.items())


def model_in(hint: object) -> type[BaseModel] | None:
    """The block that a key holds, itself or in a list or map of them."""
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return hint
    return next(filter(None, map(model_in, get_args(hint))), None)


def _walk(model: type[BaseModel], path: str) -> Iterator[tuple[str, type[BaseModel]]]:
    yield path, model
    for key in keys_of(model):
        inner = model_in(key.hint)
        if inner is not None:
            yield from _walk(inner, _step(path, key))


def _step(path: str, key: Key) -> str:
    here = f"{path}.{key.name}" if path else f"{NAMESPACE}:{key.name}"
    match get_origin(key.hint):
        case origin if origin is list:
            return f"{here}[]"
        case origin if origin is dict:
            return f"{here}.<{type_words(get_args(key.hint)[0])}>"
        case _:
            return here


def _family(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    parent = _parent(model)
    if parent is not None:
        yield from _family(parent)
    yield model


def _parent(model: type[BaseModel]) -> type[BaseModel] | None:
    bases = (base for base in model.__bases__ if issubclass(base, Settings))
    return next((base for base in bases if base is not Settings), None)


def _block(model: type[BaseModel], paths: list[str]) -> Block:
    parent = _parent(model)
    inherited = parent.model_fields if parent else {}
    own = {field.alias or name for name, field in model.model_fields.items() if name not in inherited}
    keys = tuple(key for key in keys_of(model) if key.name in own)
    return Block(model, parent, tuple(filter(None, dict.fromkeys(paths))), keys)
