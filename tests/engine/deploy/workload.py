"""The block of a server that is deployed, and what becomes of it."""

from collections.abc import Mapping
from typing import Any

import yaml

from dittoinfra.stacks.result import RunReport
from tests.engine.world import CREDENTIALS, World

TEMPLATE = "spec.template"


def media(namespace: str = "files", *, deploy: Mapping[str, object], **settings: object) -> dict[str, Any]:
    """The server `media`, never asked for its adapters unless the settings say where."""
    return {
        "name": "media",
        "namespace": namespace,
        **settings,
        "deploy": {"credentials": CREDENTIALS, **deploy},
    }


def stateful_set(world: World) -> dict[str, Any]:
    """The StatefulSet as it landed in the folder."""
    document = yaml.safe_load((world.manifests / "files" / "statefulset-media.yaml").read_text())
    assert isinstance(document, dict)
    return document


def touched(report: RunReport) -> dict[str, tuple[str, ...]]:
    """What a run changes: `kind/name` of each object with the paths that differ."""
    return {
        f"{step.type.rpartition(':')[2]}/{step.name}": step.changed
        for step in report.steps
        if step.type.startswith("kubernetes:")
    }


def restarts(report: RunReport) -> bool:
    """Whether a run changes the Pod's template, for which Kubernetes restarts it."""
    return any(path.startswith(TEMPLATE) for path in touched(report).get("StatefulSet/media", ()))
