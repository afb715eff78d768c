"""Validates a declared object before it reaches a store, and fills in its namespace."""

from pulumi.runtime.rpc import UNKNOWN

from lab.standin.properties import Properties
from lab.standin.target import ResourceUrn


def failures(urn: ResourceUrn, inputs: Properties) -> list[tuple[str, str]]:
    """Every problem, as the property and the reason."""
    if "apiVersion" not in inputs or "kind" not in inputs:
        return [
            (
                "kind",
                f"{urn.type_token} is not a Kubernetes object, and the stand-in Kubernetes provider serves "
                "nothing else; use the official plugin for it",
            )
        ]
    metadata = inputs.get("metadata")
    if metadata == UNKNOWN:
        return []
    if not isinstance(metadata, dict) or not metadata.get("name"):
        return [
            ("metadata.name", "the stand-in Kubernetes provider makes up no names; give the object its name")
        ]
    return [
        (f"metadata.{field}", f"{metadata[field]!r} is not a name; use letters, digits, '-' and '.'")
        for field in ("name", "namespace")
        if not _is_path_segment(metadata.get(field, "-"))
    ]


def with_namespace(inputs: Properties, namespace: str) -> Properties:
    """The inputs with an explicit namespace, so that a later change of the default is a change."""
    metadata = inputs["metadata"]
    if metadata == UNKNOWN or metadata.get("namespace"):
        return inputs
    return inputs | {"metadata": metadata | {"namespace": namespace}}


def _is_path_segment(name: object) -> bool:
    """Names become parts of file paths and URLs, and must not contain separators."""
    return isinstance(name, str) and name not in {"", ".", ".."} and not set(name) & set("/%\\\0")
