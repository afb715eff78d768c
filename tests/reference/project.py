"""The project's own files, and how the engine would hand a stack's configuration over."""

import json
from pathlib import Path
from typing import Any

import yaml

from dittoinfra.settings.problems import NAMESPACE

ROOT = Path(__file__).parents[2]
STACKS = tuple(sorted(path.name.split(".")[1] for path in (ROOT / "stacks").glob("Pulumi.*.yaml")))


def stack_text(name: str) -> str:
    """A stack's file."""
    return (ROOT / "stacks" / f"Pulumi.{name}.yaml").read_text(encoding="utf-8")


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
