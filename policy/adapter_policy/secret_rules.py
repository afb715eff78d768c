"""Credentials of DittoFS servers that stand where anybody who may list objects can read them."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from adapter_policy.service_object import mapping, text

SECRET: Final = "kubernetes:core/v1:Secret"  # noqa: S105 - a type of resource
CONFIG_MAP: Final = "kubernetes:core/v1:ConfigMap"
WORKLOADS: Final = frozenset(
    f"kubernetes:apps/v1:{kind}" for kind in ("StatefulSet", "Deployment", "DaemonSet")
) | {"kubernetes:core/v1:Pod"}

SECRET_FIELDS: Final = "data", "stringData"

_ENVIRONMENT: Final = re.compile(r"^DITTOFS_.*(PASSWORD|SECRET|TOKEN|PRIVATE_KEY)", re.IGNORECASE)
_SETTING: Final = re.compile(
    r"^\s*(?P<key>[\w.-]*(?:password|passphrase|secret|secret_access_key|private_key))\s*:\s*"
    r"(?P<value>[^\s#].*)$",
    re.IGNORECASE | re.MULTILINE,
)
_DITTOFS: Final = "dittofs-server"
"""The label `app` of everything that belongs to a DittoFS server."""
_NOTHING: Final = frozenset({"''", '""', "null", "~", "{}", "|", ">", "|-", ">-"})
"""Values of a setting that say that there is none, or that begin a block."""


def readable_secrets(type_token: str, properties: Mapping[str, Any]) -> tuple[str, ...]:
    """One line for each credential in the clear; no line holds the credential itself."""
    if type_token in WORKLOADS:
        return tuple(_of_containers(properties))
    labels = mapping(mapping(properties.get("metadata")).get("labels"))
    # What others keep in their ConfigMaps is not for this pack to judge.
    if type_token == CONFIG_MAP and text(labels.get("app")) == _DITTOFS:
        return tuple(_of_settings(mapping(properties.get("data"))))
    return ()


def _of_containers(properties: Mapping[str, Any]) -> Iterator[str]:
    spec = mapping(properties.get("spec"))
    pod = mapping(mapping(spec.get("template")).get("spec")) or spec
    for field in ("initContainers", "containers"):
        for container in _items(pod.get(field)):
            for variable in _items(container.get("env")):
                name = text(variable.get("name"))
                if _ENVIRONMENT.match(name) and variable.get("value"):
                    yield (
                        f"the container {text(container.get('name'))} has the value of {name} in its "
                        "specification, where everybody who may read Pods reads it; put it into a Secret "
                        "and name that with valueFrom.secretKeyRef"
                    )


def _of_settings(data: Mapping[str, Any]) -> Iterator[str]:
    for key, content in data.items():
        for found in _SETTING.finditer(text(content)):
            value = found["value"].strip()
            # A variable is filled in where the server runs.
            if value not in _NOTHING and not value.startswith("${"):
                yield (
                    f"{key} sets {found['key']} in a ConfigMap, which is not meant for credentials; give it "
                    "to the server by a Secret and its environment"
                )


def _items(value: object) -> Iterator[Mapping[str, Any]]:
    yield from map(mapping, value if isinstance(value, list | tuple) else ())
