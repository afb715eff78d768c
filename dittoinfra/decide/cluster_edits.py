"""What others changed on a live object of this stack since the last run: declared fields, and new ones. Pure.

The engine compares a program with its own state only: an edit in the cluster shows after a refresh. A caller
that has the live object can tell beforehand whether a refresh would find anything. Fields beside the declared
ones never show: the provider compares declared fields only.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dittoinfra.decide.managed_fields import (
    PROVIDER_MANAGER,
    Fields,
    Path,
    Write,
    compare,
    managers,
    minus,
    owned,
    union,
    writer,
    writes,
)
from dittoinfra.decide.ownership import ADOPTER
from dittoinfra.naming import RESTARTED_ANNOTATION
from dittoinfra.nested_values import block, text
from dittoinfra.state.kubernetes_objects import OWN_MANAGER

RESTARTED_AT = ("spec", "template", "metadata", "annotations", RESTARTED_ANNOTATION)
"""What `kubectl rollout restart` writes; every run declares what it finds there."""

_KIND = ("apiVersion", "kind")
"""Never edited, and omitted from the items of a list."""

INPUTS = "__inputs"
"""Key under which the provider keeps the declared inputs in its state."""

_TAKEN_OVER = "kubectl"
"""In every update the provider takes over all fields of managers with this prefix."""

_ALLOCATED = frozenset({"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort"})
"""Fields of a Service that the cluster allocates."""
_BOOKKEEPING = "kubectl.kubernetes.io/last-applied-configuration"
_CONTROLLERS = ("controller", "operator")
"""Substrings in the names of managers that write annotations of their own."""
_CLOUDS = (
    "cloud.google.com/",
    "io.cilium/",
    "kube-vip.io/",
    "lbipam.cilium.io/",
    "metallb.io/",
    "metallb.universe.tf/",
    "networking.gke.io/",
    "router-hosts.fzymgc.house/",
    "service.beta.kubernetes.io/",
    "service.kubernetes.io/",
)
"""Annotations by which clouds and name services keep track of a Service, whatever their manager's name."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One declared field that has another value now."""

    path: Path
    before: object | None
    """The value after the last run; None where there was none."""
    after: object | None
    """The value now; None where it was removed."""
    by: Write | None
    """The manager that wrote the present value; None for a removed field, of which no manager is recorded."""


def edits(remembered: Mapping[str, Any], live: Mapping[str, Any]) -> tuple[Edit, ...]:
    """Edits of declared fields; `remembered` is the object in the engine's state, with its inputs."""
    declared = {key: value for key, value in block(remembered, INPUTS).items() if key not in _KIND}
    if not declared or not live:
        return ()
    written = writes(live)
    return tuple(
        Edit(path, before, after, None if after is None else writer(written, path))
        for path, wanted, before, after in compare(declared, remembered, live)
        # The API adds defaults and normalizes declared values, so compare with its earlier answer.
        if after not in (before, wanted) and path != RESTARTED_AT
    )


def only_reordered(remembered: Mapping[str, Any], wanted: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a Service has all of the `wanted` ports, but with ports of others in front of some of them.

    The provider compares lists by position: every preview would show an update, and no update changes the
    order. `remembered` is the Service in the engine's state, with its inputs.
    """
    if block(remembered, INPUTS, "spec").get("ports") != list(wanted):
        return False
    live = block(remembered, "spec").get("ports") or ()
    places = [
        next((at for at, port in enumerate(live) if want.items() <= port.items()), None) for want in wanted
    ]
    return None not in places and places != list(range(len(wanted)))


def additions(remembered: Mapping[str, Any], live: Mapping[str, Any]) -> tuple[Write, ...]:
    """Fields that other managers added; `remembered` is the object in the engine's state, with its inputs."""
    declared = block(remembered, INPUTS)
    if not declared:
        return ()
    ours = {PROVIDER_MANAGER, ADOPTER, text(remembered, OWN_MANAGER) or PROVIDER_MANAGER}
    own: Fields = {}
    for entry in managers(live):
        if entry["manager"] in ours:
            own = union(own, entry.get("fieldsV1") or {})
    return tuple(_added(declared, own, ours, live))


def unapplied_ports(live: Mapping[str, Any]) -> Mapping[str, int]:
    """The ports, by name, of an object that the provider has created by POST and not updated since.

    They belong to the manager of that creation until the first update. In a preview of a moved port the old
    one therefore stays, and the API refuses two ports of one name.
    """
    created = (entry for entry in managers(live) if not entry.get("subresource"))
    if not any(
        (entry["manager"], entry.get("operation")) == (PROVIDER_MANAGER, "Update") for entry in created
    ):
        return {}
    spec = block(live, "spec")
    containers = block(spec, "template", "spec").get("containers") or ()
    lists = (spec.get("ports"), *(container.get("ports") for container in containers))
    named = (port for ports in lists for port in ports or () if "name" in port)
    return {port["name"]: port["port"] if "port" in port else port["containerPort"] for port in named}


def restart(live: Mapping[str, Any]) -> Write | None:
    """The last `kubectl rollout restart`; None where there was none."""
    return next((write for write in writes(live) if write.path == RESTARTED_AT), None)


def is_taken_over(manager: str) -> bool:
    """Whether the next update of the object silently removes what this manager added."""
    return manager.startswith(_TAKEN_OVER)


def _added(declared: object, own: Fields, ours: set[str], live: Mapping[str, Any]) -> Iterator[Write]:
    for entry in managers(live):
        if entry["manager"] in ours or entry.get("subresource") == "status":
            continue
        for path, value in owned(minus(entry.get("fieldsV1") or {}, own), live):
            for where, what in _undeclared(_at(declared, path), path, value):
                if not _controlled(where, entry["manager"]):
                    yield Write(where, what, entry["manager"], entry.get("time"))


def _undeclared(declared: object, path: Path, value: object) -> Iterator[tuple[Path, object]]:
    if declared is None:
        yield path, value
    elif isinstance(declared, Mapping) and isinstance(value, Mapping) and not path[-1].startswith("["):
        # A map that has one owner as a whole, such as a selector: changes of its declared keys are edits.
        for key in value.keys() - declared.keys():
            yield (*path, key), value[key]


def _at(declared: object, path: Path) -> object:
    for part in path:
        match declared:
            case Mapping():
                declared = declared.get(part)
            case list():
                named = (item for item in declared if isinstance(item, Mapping))
                declared = next((item for item in named if f"[{item.get('name')}]" == part), None)
            case _:
                return None
    return declared


def _controlled(path: Path, manager: str) -> bool:
    """Whether the cluster itself, or a controller, owns a field."""
    match path:
        case ("metadata", "finalizers", *_) | ("spec", "ports", _, "nodePort"):
            return True
        case ("spec", field) if field in _ALLOCATED:
            return True
        case ("metadata", "annotations", key):
            if is_taken_over(manager):
                return key == _BOOKKEEPING
            return key.startswith(_CLOUDS) or any(word in manager for word in _CONTROLLERS)
        case _:
            return path == RESTARTED_AT
