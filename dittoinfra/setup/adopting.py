"""The configuration of the one run that takes over what exists. Nothing of it is left behind."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from dittoinfra.program.adoption import PERMISSIONS
from dittoinfra.projectfile import stack_file

_SERVERS = "dittoinfra:servers"


class AdoptionRefusedError(Exception):
    """There is nothing that could be adopted."""


def adopting(document: Mapping[str, Any], servers: Collection[str]) -> dict[str, Any]:
    """A stack's configuration in which these servers, or else all, are adopted and the provider may do it.

    The rest is as it was, what is encrypted included. Pure.
    """
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
    adopted = [{**b, "adopt": True} if str(b.get("name")) in chosen else dict(b) for b in blocks]
    permitted = {f"kubernetes:{setting}": "true" for setting in PERMISSIONS}
    return {**document, "config": {**(config or {}), _SERVERS: adopted, **permitted}}


@contextmanager
def adopting_file(root: Path, stack: str, servers: Collection[str]) -> Iterator[Path]:
    """A file with that configuration, for as long as the run lasts."""
    path = stack_file(root, stack)
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        raise AdoptionRefusedError(f"{path.name} cannot be read as YAML; mend it and run again") from None
    content = adopting(document if isinstance(document, Mapping) else {}, servers)
    with TemporaryDirectory(prefix="dittoinfra-") as folder:
        file = Path(folder) / f"Pulumi.{stack}.yaml"
        file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        yield file
