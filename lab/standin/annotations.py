"""Annotations that control how the provider treats an object."""

from collections.abc import Mapping
from typing import Any

SKIP_AWAIT = "pulumi.com/skipAwait"
WAIT_FOR = "pulumi.com/waitFor"
TIMEOUT_SECONDS = "pulumi.com/timeoutSeconds"
PATCH_FORCE = "pulumi.com/patchForce"
PATCH_FIELD_MANAGER = "pulumi.com/patchFieldManager"
DELETION_PROPAGATION = "pulumi.com/deletionPropagationPolicy"


def annotation(manifest: Mapping[str, Any], name: str) -> str:
    """The annotation's value; empty where there is none."""
    metadata = manifest.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    return str(annotations.get(name) or "") if isinstance(annotations, dict) else ""


def is_true(manifest: Mapping[str, Any], name: str) -> bool:
    """Whether the annotation says `true`."""
    return annotation(manifest, name) == "true"
