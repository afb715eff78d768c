"""The project's own files, and how the engine would hand a stack's configuration over."""

import json
from typing import Any

import yaml

from dittoinfra.settings.problems import NAMESPACE
from tests import ROOT

EXAMPLES = ROOT / "examples" / "stacks"
STACKS = tuple(sorted(path.name.split(".")[1] for path in EXAMPLES.glob("Pulumi.*.yaml")))


def stack_text(name: str) -> str:
    """The file of an example stack."""
    return (EXAMPLES / f"Pulumi.{name}.yaml").read_text(encoding="utf-8")


def handed_over(config: dict[str, Any]) -> dict[str, str]:
    """Settings as the engine gives them to the program: text as it is, everything else as JSON."""
    prefix = f"{NAMESPACE}:"
    return {
        key.removeprefix(prefix): value if isinstance(value, str) else json.dumps(value)
        for key, value in config.items()
        if key.startswith(prefix)
    }


def parsed(text: str) -> dict[str, Any]:
    """A YAML document."""
    document: dict[str, Any] = yaml.safe_load(text)
    return document
