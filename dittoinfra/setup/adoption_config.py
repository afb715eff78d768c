"""The configuration of the one run that adopts what exists; no trace of it remains."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from dittoinfra.projectfile import stack_file

_SERVERS = "dittoinfra:servers"


class AdoptionRefusedError(Exception):
    """There is nothing that could be adopted."""


def with_adoption(document: Mapping[str, Any], servers: Collection[str]) -> dict[str, Any]:
    """A stack's configuration with `adopt: true` on these servers, or else on all of them."""
    config = document.get("config")
    listed = config.get(_SERVERS) if isinstance(config, Mapping) else None
    blocks = [block for block in listed or () if isinstance(block, Mapping)]
    names = [str(block.get("name")) for block in blocks]
    if unknown := sorted(set(servers) - set(names)):
        known = f"there are {', '.join(names)}" if names else "there is none"
        raise AdoptionRefusedError(f"no server {', '.join(unknown)} is in dittoinfra:servers; {known}")
    if not blocks:
        raise AdoptionRefusedError("no server is in dittoinfra:servers; write down what is to be adopted")
    chosen = set(servers) or set(names)
    # What is no block at all stays where it is: the run's own check refuses it by its place.
    adopted = [
        {**item, "adopt": True} if isinstance(item, Mapping) and str(item.get("name")) in chosen else item
        for item in listed or ()
    ]
    return {**document, "config": {**(config or {}), _SERVERS: adopted}}


@contextmanager
def adoption_config_file(root: Path, stack: str, servers: Collection[str]) -> Iterator[Path]:
    """A file with that configuration, for as long as the run lasts."""
    path = stack_file(root, stack)
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        raise AdoptionRefusedError(f"{path.name} cannot be read as YAML; correct it and run again") from None
    content = with_adoption(document if isinstance(document, Mapping) else {}, servers)
    with TemporaryDirectory(prefix="dittoinfra-") as folder:
        file = Path(folder) / f"Pulumi.{stack}.yaml"
        file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        yield file
