"""CustomResourceDefinitions for the length of a test: as much of each as this project declares."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import httpx

from dittoinfra.decide.custom_kinds import (
    CERTIFICATE,
    HOST_MAPPING,
    HTTP_ROUTE,
    PERCONA_CLUSTER,
    SERVICE_MONITOR,
    CustomKind,
)
from lab.bed.machine_lock import machine_lock

DEADLINE_SECONDS = 30.0
_PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
NUMBER = {"type": "integer"}
FLAG = {"type": "boolean"}
ISSUER = {"name": TEXT, "kind": TEXT, "group": TEXT}
PARENT = {"name": TEXT, "namespace": TEXT, "sectionName": TEXT}
BACKEND = {"name": TEXT, "port": NUMBER}


def _block(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def _blocks(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "array", "items": _block(properties, *required)}


# Server-side apply refuses a field that a schema does not have, so a misspelt one cannot hide.
SPECS: dict[CustomKind, dict[str, Any]] = {
    SERVICE_MONITOR: _block(
        {
            "selector": _block({"matchLabels": {"type": "object", "additionalProperties": TEXT}}),
            "endpoints": _blocks({"port": TEXT, "path": TEXT, "interval": TEXT}),
        },
        "selector",
        "endpoints",
    ),
    CERTIFICATE: _block(
        {"secretName": TEXT, "dnsNames": TEXTS, "usages": TEXTS, "issuerRef": _block(ISSUER, "name")},
        "secretName",
        "issuerRef",
    ),
    HTTP_ROUTE: _block(
        {
            "parentRefs": _blocks(PARENT, "name"),
            "hostnames": TEXTS,
            "rules": _blocks({"backendRefs": _blocks(BACKEND, "name")}),
        }
    ),
    PERCONA_CLUSTER: _block(
        {
            # Its operator writes this one, where no one else did.
            "crVersion": TEXT,
            "postgresVersion": NUMBER,
            "autoCreateUserSchema": FLAG,
            "users": _blocks({"name": TEXT, "databases": TEXTS}, "name"),
            "backups": _block({"enabled": FLAG}),
            "instances": _blocks(
                {
                    "name": TEXT,
                    "replicas": NUMBER,
                    "dataVolumeClaimSpec": _block(
                        {
                            "accessModes": TEXTS,
                            "storageClassName": TEXT,
                            "resources": _block(
                                {"requests": {"type": "object", "additionalProperties": TEXT}}
                            ),
                        }
                    ),
                },
                "dataVolumeClaimSpec",
            ),
        },
        "postgresVersion",
        "instances",
        "backups",
    ),
    HOST_MAPPING: _block(
        {"hostname": TEXT, "ip": TEXT, "aliases": TEXTS, "tags": TEXTS},
        "hostname",
        "ip",
    ),
}
STATUSES: dict[CustomKind, dict[str, Any]] = {
    HOST_MAPPING: _block(
        {
            "phase": TEXT,
            "conditions": _blocks(
                {"type": TEXT, "status": TEXT, "reason": TEXT, "message": TEXT, "observedGeneration": NUMBER}
            ),
        }
    ),
}
"""What its controller writes, for kinds of which it is read."""


def no_others_define_kinds() -> AbstractContextManager[None]:
    """No other test defines a kind until the block ends: all share one Kubernetes."""
    return machine_lock("custom-kinds")


@contextmanager
def known(client: httpx.Client, *kinds: CustomKind) -> Iterator[None]:
    """The cluster knows these kinds, and none that another test defines, until the block ends."""
    with no_others_define_kinds():
        try:
            for kind in kinds:
                client.post(_PATH, json=_definition(kind)).raise_for_status()
            _until(lambda: all(_serves(client, kind) for kind in kinds), f"{kinds} are served")
            yield
        finally:
            for kind in kinds:
                client.delete(f"{_PATH}/{kind.definition}")
            _until(lambda: not any(_serves(client, kind) for kind in kinds), f"{kinds} are gone")


def _definition(kind: CustomKind) -> dict[str, Any]:
    group, _, version = kind.api_version.partition("/")
    status = {"status": STATUSES[kind]} if kind in STATUSES else {}
    schema = _block({"spec": SPECS[kind], **status})
    metadata: dict[str, Any] = {"name": kind.definition}
    if group.endswith(".k8s.io"):
        # The API guards these groups, and lets in what says that it was looked at.
        metadata["annotations"] = {"api-approved.kubernetes.io": "unapproved, for a test"}
    names = {"kind": kind.kind, "plural": kind.plural, "singular": kind.kind.lower()}
    served = {
        "name": version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        **({"subresources": {"status": {}}} if status else {}),
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [served]},
    }


def _serves(client: httpx.Client, kind: CustomKind) -> bool:
    answer = client.get(f"/apis/{kind.api_version}")
    return answer.is_success and any(r["kind"] == kind.kind for r in answer.json()["resources"])


def _until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"not so after {DEADLINE_SECONDS:.0f} s: {what}"
        time.sleep(0.1)
