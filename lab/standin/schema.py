"""What the API's own schema says about a manifest of a built-in kind.

The official provider reads manifests into Go's types and writes them out again: fields that no type has
vanish, and amounts get their one spelling. The schema tells the same about them.
"""

from collections.abc import Mapping
from typing import Any

from lab.standin.properties import Properties
from lab.standin.quantity import canonical

Schema = Mapping[str, Any]

QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
_REFERENCE = "#/components/schemas/"
_SCALARS: dict[str, type] = {"string": str, "integer": int, "boolean": bool}


class UnlikeSchemaError(Exception):
    """A value of another kind than the schema's; Go's types would not take the manifest at all."""


class GroupSchema:
    """The schemas of one group and version, as `/openapi/v3` has them."""

    def __init__(self, document: Schema) -> None:
        self._schemas: dict[str, Schema] = (document.get("components") or {}).get("schemas") or {}

    def fitted(self, manifest: Properties) -> Properties:
        """The manifest as its kind has it; as it is, where the kind is not known or would not take it."""
        name = self._name_of(str(manifest.get("apiVersion")), str(manifest.get("kind")))
        if name is None:
            return manifest
        try:
            fitted: Properties = self._fit_reference(name, manifest)
        except UnlikeSchemaError:
            return manifest
        return fitted

    def _name_of(self, api_version: str, kind: str) -> str | None:
        group, _, version = api_version.rpartition("/")
        wanted = {"group": group, "version": version, "kind": kind}
        for name, schema in self._schemas.items():
            if wanted in schema.get("x-kubernetes-group-version-kind", ()):
                return name
        return None

    def _fit(self, schema: Schema, value: Any) -> Any:  # noqa: ANN401  (JSON has no narrower type)
        if (name := _referred(schema)) is not None:
            return self._fit_reference(name, value)
        match schema.get("type"):
            case "object":
                return self._fit_object(schema, value)
            case "array":
                if not isinstance(value, list):
                    raise UnlikeSchemaError
                return [self._fit(schema.get("items") or {}, entry) for entry in value]
            case str(scalar):
                return _fit_scalar(scalar, value)
            case _:
                return value

    def _fit_reference(self, name: str, value: Any) -> Any:  # noqa: ANN401  (JSON has no narrower type)
        if name == QUANTITY:
            return canonical(str(value))
        return value if name == INT_OR_STRING else self._fit(self._schemas.get(name) or {}, value)

    def _fit_object(self, schema: Schema, value: Any) -> Any:  # noqa: ANN401  (JSON has no narrower type)
        if not isinstance(value, dict):
            raise UnlikeSchemaError
        known: Mapping[str, Schema] = schema.get("properties") or {}
        if not known:
            below = schema.get("additionalProperties")
            return {k: self._fit(below, v) for k, v in value.items()} if isinstance(below, dict) else value
        required = schema.get("required") or ()
        fitted = {key: self._fit(known[key], entry) for key, entry in value.items() if key in known}
        return {k: v for k, v in fitted.items() if k in required or not self._says_nothing(known[k], v)}

    def _says_nothing(self, schema: Schema, value: object) -> bool:
        """Whether it is an empty list or map, as manifests have none; an empty object may mean something."""
        if value == []:
            return True
        return value == {} and _referred(schema) is None and not schema.get("properties")


def _referred(schema: Schema) -> str | None:
    """The schema that another one stands for, directly or as the only part of it."""
    parts = schema.get("allOf") or [schema]
    reference = parts[0].get("$ref") if len(parts) == 1 else None
    return str(reference).removeprefix(_REFERENCE) if reference else None


def _fit_scalar(kind: str, value: Any) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    if kind == "number":
        return value
    wanted = _SCALARS.get(kind)
    if wanted is not None and type(value) is not wanted:
        raise UnlikeSchemaError
    return value
