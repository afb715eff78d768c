"""What a step changes in the ports of a server's containers. Pure."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

Ports = Mapping[str, str]
"""Number and protocol by name."""

_PROPERTIES = Mapping[str, Any] | None


def container_ports(properties: _PROPERTIES) -> Ports:
    """Every named port in a StatefulSet's Pod template."""
    return {
        str(port["name"]): f"{port.get('containerPort')}/{port.get('protocol', 'TCP')}"
        for container in _containers(properties)
        for port in container.get("ports") or ()
        if "name" in port
    }


def without_ports(properties: _PROPERTIES) -> Mapping[str, Any]:
    """The same StatefulSet as if nobody had declared a port."""
    rest = deepcopy(dict(properties or {}))
    for container in _containers(rest):
        container.pop("ports", None)
    return rest


def ports_text(before: Ports, after: Ports) -> str:
    """What comes, goes and moves: `+ adapter-nfs 12049/TCP`."""
    return ", ".join(_changes(before, after)) or "as they were"


def _changes(before: Ports, after: Ports) -> Iterator[str]:
    for name in sorted({*before, *after}):
        match before.get(name), after.get(name):
            case None, str(new):
                yield f"+ {name} {new}"
            case str(old), None:
                yield f"- {name} {old}"
            case old, new if old != new:
                yield f"~ {name} {old} → {new}"
            case _:
                pass


def _containers(properties: _PROPERTIES) -> Iterator[dict[str, Any]]:
    found: Any = properties
    for key in ("spec", "template", "spec", "containers"):
        found = found.get(key) if isinstance(found, Mapping) else None
    yield from (each for each in found or () if isinstance(each, dict))
