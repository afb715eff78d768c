"""What a program reads from the running engine: its configuration, and the last state of its stack."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pulumi
from pulumi.runtime import is_config_secret

from dittoinfra.kubernetes.credentials import read_kubeconfigs
from dittoinfra.program.run_errors import StateUnreadable
from dittoinfra.sdk_internals import running_configuration
from dittoinfra.settings.configuration import Configuration
from dittoinfra.state import Memory, held_providers, remember

_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds between attempts: the program may read a file backend while the engine writes to it."""


def read_configuration(root: Path) -> Configuration:
    """The whole configuration of the running stack."""
    values = running_configuration()
    return Configuration(
        project=pulumi.get_project(),
        stack=pulumi.get_stack(),
        root=root,
        values=values,
        encrypted=frozenset(key for key in values if is_config_secret(key)),
    )


def read_memory(configuration: Configuration) -> Memory:
    """What the last state of this stack holds. To be called before anything is declared."""
    resources, provider = read_resources(), configuration.provider
    return remember(resources, provider, read_kubeconfigs((provider, *held_providers(resources))))


def read_resources() -> Mapping[str, Any]:
    """Every resource of this stack's last state by URN. To be called before anything is declared."""
    stack = f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"
    for pause in _PAUSES:
        try:
            return _resources(stack)
        except StateUnreadable:
            time.sleep(pause)
    return _resources(stack)


def _resources(stack: str) -> Mapping[str, Any]:
    try:
        answer = pulumi.runtime.invoke("pulumi:pulumi:readStackResourceOutputs", {"stackName": stack})
    except Exception as error:  # noqa: BLE001 - the SDK raises nothing narrower
        raise StateUnreadable(error) from None
    resources = (answer.value or {}).get("outputs")
    # No answer must never be taken for an empty stack: that would remove everything.
    if not isinstance(resources, Mapping):
        raise StateUnreadable("the engine's answer holds no resources")
    return resources
