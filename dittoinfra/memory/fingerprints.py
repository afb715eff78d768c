"""What a stack's state holds, as fingerprints that tell whether it has moved and give nothing away. Pure."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

_STACK = "pulumi:pulumi:Stack"
_PROVIDERS = "pulumi:providers:"
_SECRETS = ("kubernetes:core/v1:Secret", "kubernetes:core/v1:SecretPatch")


def fingerprints(resources: Mapping[str, Mapping[str, Any]]) -> Mapping[str, str]:
    """One for every resource that the program declares, by URN.

    Providers have none: they hold credentials, and the configuration that makes them is looked at by itself.
    Nor has the stack: the engine registers it anew, and may have saved that, before the program can look.
    """
    return {
        urn: _fingerprint(urn, resource.get("outputs") or {})
        for urn, resource in resources.items()
        if _type(urn) != _STACK and not _type(urn).startswith(_PROVIDERS)
    }


def _fingerprint(urn: str, outputs: Mapping[str, Any]) -> str:
    # Of a Secret only what is no secret: a short password could be guessed from a fingerprint of it.
    seen = outputs.get("metadata") if _type(urn) in _SECRETS else outputs
    return hashlib.sha256(json.dumps(seen, sort_keys=True, default=str).encode()).hexdigest()


def _type(urn: str) -> str:
    return urn.split("::", 3)[2].rpartition("$")[2]
