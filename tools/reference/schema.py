"""`docs/stack.schema.json`: what editors need to complete and check a stack's file."""

import json

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from dittoinfra.settings.problems import NAMESPACE, SECRET_KEYS
from dittoinfra.settings.stack import StackSettings
from tools.reference.blocks import blocks, keys_of
from tools.reference.words import written

_CIPHERTEXT = {"$ref": "#/$defs/Ciphertext"}

_DEFINITION_OF_CIPHERTEXT: JsonSchemaValue = {
    "type": "object",
    "description": "A value that `pulumi config set --secret` has encrypted.",
    "properties": {"secure": {"type": "string"}},
    "required": ["secure"],
    "additionalProperties": False,
}

_ENGINE_KEYS: JsonSchemaValue = {
    "secretsprovider": {"type": "string", "description": "Who encrypts this stack's secrets."},
    "encryptedkey": {"type": "string", "description": "The key of the secrets, itself encrypted."},
    "encryptionsalt": {"type": "string", "description": "Salt of the passphrase; the engine writes it."},
    "environment": {"type": ["array", "object"], "description": "Pulumi ESC environments of this stack."},
}

_ABOUT_VALUES = frozenset({"description", "default", "examples"})
"""What is said about a value whatever form it takes."""


def schema_file() -> str:
    """The schema as text."""
    return json.dumps(stack_schema(), indent=2, ensure_ascii=False) + "\n"


def stack_schema() -> JsonSchemaValue:
    """The schema of a `Pulumi.<stack>.yaml`."""
    settings = StackSettings.model_json_schema(schema_generator=_AsWritten)
    definitions = settings["$defs"]
    models = {block.model.__name__: block.model for block in blocks()}
    for name, definition in definitions.items():
        del definition["title"]
        properties = _told(definition, models[name])
        definition["properties"] = {k: _or_null(_or_encrypted(v)) for k, v in properties.items()}
    return {
        # Editors know this draft best.
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Configuration of a dittoinfra stack",
        "type": "object",
        "properties": {"config": _config(_told(settings, StackSettings)), **_ENGINE_KEYS},
        "additionalProperties": False,
        "$defs": {"Ciphertext": _DEFINITION_OF_CIPHERTEXT, **definitions},
    }


def _config(properties: JsonSchemaValue) -> JsonSchemaValue:
    return {
        "type": "object",
        "description": "Settings by namespace and key.",
        "properties": {f"{NAMESPACE}:{key}": _top_level(key, value) for key, value in properties.items()},
        # Other namespaces configure providers, such as kubernetes:context; only they know their keys.
        "patternProperties": {f"^(?!{NAMESPACE}:)[^:]+:": True},
        "additionalProperties": False,
    }


def _top_level(key: str, value: JsonSchemaValue) -> JsonSchemaValue:
    if key in SECRET_KEYS:
        one = _or_encrypted(value["additionalProperties"])
        encrypted_values = {"type": "object", "additionalProperties": one}
        return {"description": value["description"], "anyOf": [encrypted_values, _CIPHERTEXT]}
    if value.get("type") == "integer":
        # `pulumi config set` may write digits in quotes, and the engine takes both.
        return {**value, "type": ["integer", "string"], "pattern": "^[0-9]+$"}
    return _or_encrypted(value)


def _told(block: JsonSchemaValue, model: type[BaseModel]) -> JsonSchemaValue:
    """A block's properties with what they are for, in place of titles that pydantic makes of their names."""
    meanings = {key.name: key.meaning for key in keys_of(model)}
    return {key: _with_meaning(value, meanings[key]) for key, value in block["properties"].items()}


def _with_meaning(value: JsonSchemaValue, meaning: str) -> JsonSchemaValue:
    said = {word: said for word, said in value.items() if word != "title"}
    # In the order in which pydantic puts all the others.
    return dict(sorted({**said, **({"description": meaning} if meaning else {})}.items()))


def _or_encrypted(value: JsonSchemaValue) -> JsonSchemaValue:
    # The engine decrypts to text, so only free text can be encrypted.
    if value.get("type") != "string" or "enum" in value:
        return value
    about = {k: v for k, v in value.items() if k in _ABOUT_VALUES}
    if value.get("writeOnly"):
        return {**about, **_CIPHERTEXT}
    plain = {k: v for k, v in value.items() if k not in _ABOUT_VALUES}
    return {**about, "anyOf": [plain, _CIPHERTEXT]}


def _or_null(value: JsonSchemaValue) -> JsonSchemaValue:
    if not value.get("nullable"):
        return value
    about = {k: v for k, v in value.items() if k in _ABOUT_VALUES}
    block = {k: v for k, v in value.items() if k not in _ABOUT_VALUES | {"nullable"}}
    return {**about, "anyOf": [block, {"type": "null"}]}


class _AsWritten(GenerateJsonSchema):
    """The model's schema in the terms of people who write YAML by hand."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        # A key without a value looks like `deploy: {}` and means the contrary: it is better left out.
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default", ...) is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def encode_default(self, dft: object) -> object:
        return super().encode_default(written(dft))

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        result = super().dict_schema(schema)
        if "patternProperties" in result:
            result["additionalProperties"] = False
        return result
