"""A Pulumi project's files on disk, read without the SDK: shell completion must answer within a keystroke."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

_PROJECT_FILE = "Pulumi.yaml"
_PREFIX, _SUFFIX = "Pulumi.", ".yaml"


class NoProjectError(Exception):
    """There is no project to work on."""


def find_project(start: Path) -> Path:
    """The folder of the nearest project, from `start` upwards, as the pulumi CLI looks for it."""
    for folder in (start, *start.parents):
        if (folder / _PROJECT_FILE).is_file():
            return folder
    raise NoProjectError(
        f"there is no {_PROJECT_FILE} in {start} or above it; "
        "go to the project's folder, or name it with --cwd"
    )


def read_project(root: Path) -> Mapping[str, Any]:
    """The project's own file."""
    content = yaml.safe_load((root / _PROJECT_FILE).read_text())
    return content if isinstance(content, dict) else {}


def stack_file(root: Path, stack: str) -> Path:
    """Where a stack's configuration is, or would be."""
    return _config_folder(root) / f"{_PREFIX}{stack}{_SUFFIX}"


def project_defaults(root: Path) -> Mapping[str, Any]:
    """What the project says for every stack that does not say it itself, by full key."""
    project = read_project(root)
    declared: Mapping[str, Any] = project.get("config") or {}
    return {
        key if ":" in key else f"{project.get('name')}:{key}": entry["default"]
        for key, entry in declared.items()
        if isinstance(entry, dict) and "default" in entry
    }


def written_values(root: Path, stack: str) -> Mapping[str, Any]:
    """What a stack's own file configures, by full key: nothing where there is no file."""
    try:
        content = yaml.safe_load(stack_file(root, stack).read_text())
    except OSError:
        return {}
    config = content.get("config") if isinstance(content, dict) else None
    return config if isinstance(config, dict) else {}


def configured_stacks(root: Path) -> tuple[str, ...]:
    """Stacks that have a configuration file, whether the backend knows them yet or not."""
    files = _config_folder(root).glob(f"{_PREFIX}*{_SUFFIX}")
    names = (file.name.removeprefix(_PREFIX).removesuffix(_SUFFIX) for file in files)
    return tuple(sorted(name for name in names if name))


def _config_folder(root: Path) -> Path:
    return root / str(read_project(root).get("stackConfigDir") or ".")
