"""The YAML files that are there to be copied, or applied as they are."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests import ROOT

KUBERNETES = ROOT / "deploy" / "kubernetes"


def documents(path: Path) -> list[dict[str, Any]]:
    """Every document of a file."""
    return [document for document in yaml.safe_load_all(path.read_text()) if document is not None]


def objects(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every Kubernetes object of a folder, with the name of its file."""
    for path in sorted(folder.rglob("*.yaml")):
        if path.name != "kustomization.yaml":
            for document in documents(path):
                yield str(path.relative_to(folder)), document
