"""Normalizes manifests for comparison and for requests."""

import base64
import binascii
from collections.abc import Callable

from lab.standin.properties import Properties, has_unknowns
from lab.standin.scope import is_built_in
from lab.standin.secrecy import SECRET_KIND
from lab.standin.shape import SERVER_OWNED_METADATA

Fit = Callable[[Properties], Properties]
"""Brings the manifest of a built-in kind into the shape of its schema."""


def normalized(manifest: Properties, fit: Fit) -> Properties:
    """The manifest without read-only fields, in the API's own notation."""
    if not has_unknowns(manifest) and is_built_in(str(manifest.get("apiVersion", ""))):
        manifest = _encoded(manifest) if manifest.get("kind") == SECRET_KIND else fit(manifest)
    metadata = manifest.get("metadata")
    if not isinstance(metadata, dict):
        return manifest
    written = {key: value for key, value in metadata.items() if key not in SERVER_OWNED_METADATA}
    return manifest | {"metadata": written}


def _encoded(secret: Properties) -> Properties:
    """A Secret whose `stringData` is `data`, as the API keeps it."""
    given = secret.get("stringData")
    data = secret.get("data")
    if not isinstance(given, dict) or not given:
        return secret | (
            {"data": {k: _recoded(v) for k, v in data.items()}} if isinstance(data, dict) else {}
        )
    encoded = {key: base64.b64encode(str(value).encode()).decode() for key, value in given.items()}
    kept = {key: value for key, value in secret.items() if key != "stringData"}
    return kept | {"data": (data if isinstance(data, dict) else {}) | encoded}


def _recoded(value: object) -> object:
    """Base64 without line breaks; what is none stays as it is, for the API to refuse."""
    if not isinstance(value, str):
        return value
    try:
        return base64.b64encode(base64.b64decode("".join(value.split()), validate=True)).decode()
    except binascii.Error:
        return value
