"""States as earlier versions wrote them: with a component for each adapter and each headless Service."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.engine.world import World

SERVER = "dittoinfra:index:Server"
ADAPTER = "dittoinfra:index:AdapterService"
HEADLESS = "dittoinfra:index:HeadlessService"

Resource = dict[str, Any]


def urns(world: World) -> list[str]:
    """Every resource of the state but providers, which have a name that changes."""
    found = (str(resource["urn"]) for resource in world.stack.export()["resources"])
    return sorted(urn for urn in found if "pulumi:providers:" not in urn)


def make_former(world: World) -> None:
    """Let the stack have the state that an earlier version would have left after the same run."""
    document = world.stack.state()
    resources = list(_former(document["deployment"]["resources"]))
    text = json.dumps(resources)
    for resource in document["deployment"]["resources"]:
        # A resource that depends on an object depends on it under the URN that it had.
        component = _component(resource)
        if component is not None:
            text = text.replace(json.dumps(resource["urn"]), json.dumps(_below(resource, component)))
    document["deployment"]["resources"] = json.loads(text)
    world.stack.replace_state(document)


def _former(resources: list[Resource]) -> Iterator[Resource]:
    told: dict[str, Mapping[str, Any]] = {}
    made: set[str] = set()
    for resource in resources:
        _, _, kind, name = resource["urn"].split("::", 3)
        if kind.endswith(SERVER):
            for adapter, noted in resource["outputs"]["adapters"].items():
                told[f"{name}/{adapter}"] = {"dns": noted.pop("dns")} if "dns" in noted else {}
        component = _component(resource)
        if component is None:
            yield resource
            continue
        around = f"{_place(resource)}${component}::{name.removeprefix('udp:')}"
        if around not in made:
            made.add(around)
            parent = resource["parent"]
            outputs = told.get(name.removeprefix("udp:"), {})
            yield {"urn": around, "custom": False, "type": component, "parent": parent, "outputs": outputs}
        yield {**resource, "parent": around}


def _component(resource: Resource) -> str | None:
    """The component that earlier versions had around an object."""
    _, _, kind, name = resource["urn"].split("::", 3)
    if f"{SERVER}$kubernetes:" not in kind:
        return None
    if "/" in name:
        return ADAPTER
    return HEADLESS if name.endswith("-headless") else None


def _below(resource: Resource, component: str) -> str:
    _, _, kind, name = resource["urn"].split("::", 3)
    return f"{_place(resource)}${component}${kind.rpartition('$')[2]}::{name}"


def _place(resource: Resource) -> str:
    """A URN up to the server's component in it."""
    stack, project, kind, _ = resource["urn"].split("::", 3)
    return f"{stack}::{project}::{kind.rpartition('$')[0]}"
