"""Single keys of a Secret; nothing else of it is kept, and none of it is ever in a message."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from pydantic import SecretStr

from dittoinfra.cluster.errors import NotThereError, SecretUnusableError
from dittoinfra.cluster.live import LiveCluster
from dittoinfra.cluster.rules import Rule

NEXT_STEP = "correct it, or api.passwordSecret"


def secret_rule(name: str) -> Rule:
    """What reading a Secret takes."""
    return Rule("get", "secrets", name)


async def read_secret(
    cluster: LiveCluster, namespace: str, name: str, keys: Sequence[str]
) -> Mapping[str, SecretStr]:
    """The text under these keys of a Secret, or `ClusterError`."""
    path = f"/api/v1/namespaces/{quote(namespace, safe='')}/secrets/{quote(name, safe='')}"
    try:
        live = await cluster.get(path, secret_rule(name), namespace)
    except NotThereError:
        raise SecretUnusableError(
            f"there is no Secret {name} in namespace {namespace}; create it, or correct api.passwordSecret"
        ) from None
    data = live.get("data") or {}
    return {key: _text(data.get(key), f"key {key} of Secret {name} in namespace {namespace}") for key in keys}


def _text(encoded: str | None, where: str) -> SecretStr:
    if encoded is None:
        raise SecretUnusableError(f"there is no {where}; {NEXT_STEP}")
    try:
        text = base64.b64decode(encoded).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise SecretUnusableError(f"{where} is no text; {NEXT_STEP}") from None
    # Whoever makes a Secret from a file brings the file's last line end along.
    text = text.rstrip("\r\n")
    if not text:
        raise SecretUnusableError(f"{where} is empty; {NEXT_STEP}")
    return SecretStr(text)
