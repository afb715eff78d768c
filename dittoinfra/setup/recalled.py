"""A folder of rendered manifests as the memory of what was declared last.

Whoever renders and never runs `up` has an empty state: without the folder's own memory an outage would pass
for a server without adapters, and their manifests would go.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from dittoinfra.memory import Memory, remembered_manifests
from dittoinfra.setup.folder import FolderRefusedError, known_files


def recalled_from(folder: Path, stack: str) -> Callable[[Memory], Memory]:
    """What makes the folder's adapters the memory of a run, or `FolderRefusedError`."""
    rendered = remembered_manifests(_manifests(folder, stack))
    return lambda memory: replace(memory, adapters={**memory.adapters, **rendered})


def _manifests(folder: Path, stack: str) -> Iterator[Mapping[str, Any]]:
    for path in sorted(known_files(folder, stack)):
        try:
            manifest = yaml.safe_load((folder / path).read_text(encoding="utf-8"))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, yaml.YAMLError):
            # Half a file must not pass for an adapter that was never there.
            raise FolderRefusedError(
                f"{folder / path} cannot be read, so nobody knows what it declared; restore it and run again"
            ) from None
        if isinstance(manifest, Mapping):
            yield manifest
