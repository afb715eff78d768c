"""The resource tree from URNs: which server a resource belongs to, and its URN in earlier versions. Pure.

The tree is `Stack -> Server -> Service, NetworkPolicy, StatefulSet ...`. Earlier versions had a component
around the objects of each adapter and around a headless Service. States of that shape are read as well, and
their objects move to the server's component by aliases, in the first update.
"""

from typing import Final

from dittoinfra.naming import adapter_resource, parse_adapter_resource, udp_resource

SERVER_TYPE: Final = "dittoinfra:index:Server"
"""Type token of the component around everything of one server; part of the URNs in it."""

EXISTING_SERVER_TYPE: Final = "dittoinfra:index:ExistingServer"
DEPLOYED_SERVER_TYPE: Final = "dittoinfra:index:DeployedServer"
"""Type tokens of the components that other programs declare; around the same objects as `SERVER_TYPE`."""

HEADLESS_TYPE: Final = "dittoinfra:index:HeadlessService"
"""Type token of the component that other projects use."""

FORMER_ADAPTER_TYPE: Final = "dittoinfra:index:AdapterService"
"""Type token of the component that was around the objects of an adapter."""

STACK_TYPE: Final = "pulumi:pulumi:Stack"
"""The engine's type of the stack itself, which is at the top of every tree."""

SERVICE: Final = "kubernetes:core/v1:Service"
NAMESPACE: Final = "kubernetes:core/v1:Namespace"

_FORMER_COMPONENTS = (FORMER_ADAPTER_TYPE, HEADLESS_TYPE)
_OF_COMPONENT = "@"
"""Before the component's name in the name of an object: neither a server's nor an adapter's name has it."""


def type_token(api_version: str, kind: str) -> str:
    """The engine's type of a Kubernetes object."""
    # The unnamed API group is called "core" there.
    group = api_version if "/" in api_version else f"core/{api_version}"
    return f"kubernetes:{group}:{kind}"


def adapter_of(urn: str) -> tuple[str, str] | None:
    """Server and type of the adapter whose Service this resource is; None for any other resource.

    None for a Service of split-off UDP ports: the first Service identifies the adapter.
    """
    parents, kind, name = _parts(urn)
    return parse_adapter_resource(name) if kind == SERVICE and _of_server(parents) else None


def is_udp_service(urn: str) -> bool:
    """Whether a resource is the second Service of an adapter, for its UDP ports."""
    _, kind, name = _parts(urn)
    return kind == SERVICE and name.startswith(udp_resource(""))


def adapter_around(urn: str) -> tuple[str, str] | None:
    """Server and type of the adapter that a resource is declared for; None for any other resource."""
    parents, _, name = _parts(urn)
    return parse_adapter_resource(name.removeprefix(udp_resource(""))) if _of_server(parents) else None


def service_adapter(urn: str) -> str | None:
    """Name (server/type) of the adapter that a Service is declared for; None for any other resource."""
    adapter = adapter_around(urn) if resource_type(urn) == SERVICE else None
    return adapter_resource(*adapter) if adapter else None


def server_around(urn: str) -> str | None:
    """The server that a component is, or that an adapter's resource is declared for; None for any other."""
    _, kind, name = _parts(urn)
    if kind == SERVER_TYPE:
        return name
    adapter = adapter_around(urn)
    return adapter[0] if adapter else None


def resource_name(urn: str) -> str:
    """The name of a resource in the engine's state."""
    return urn.rpartition("::")[2]


def resource_type(urn: str) -> str:
    """The type of a resource, without those of its parents."""
    return _parts(urn)[1]


def stack_and_project(urn: str) -> tuple[str, str]:
    """The stack and the project of a resource."""
    place, project, _ = urn.split("::", 2)
    return place.removeprefix("urn:pulumi:"), project


def resource_text(urn: str) -> str:
    """A resource as text for the user: `Service media/nfs`."""
    _, kind, name = _parts(urn)
    return f"{kind.rpartition(':')[2]} {name}"


def in_component(name: str, component: str) -> str:
    """The name of an object with that of its component, as in `media/nfs@east`.

    URNs hold the types of parents and not their names: without it, two components could not have servers of
    the same name. `component` is empty for one that is called as its server is.
    """
    return f"{name}{_OF_COMPONENT}{component}" if component else name


def object_and_component(name: str) -> tuple[str, str]:
    """What `in_component` has put together."""
    own, _, component = name.partition(_OF_COMPONENT)
    return own, component


def in_server_tree(urn: str, name: str | None = None) -> str:
    """The URN that a component's resource would have in the tree of this project's own program.

    `name` is the name of the component itself; None for one of its objects, which are called as there.
    """
    place, project, _ = urn.split("::", 2)
    _, kind, own = _parts(urn)
    qualified = SERVER_TYPE if name is not None else f"{SERVER_TYPE}${kind}"
    return f"{place}::{project}::{qualified}::{object_and_component(own)[0] if name is None else name}"


def former_urn(server: str, component: str, kind: str, name: str) -> str:
    """The URN that an object had inside a component of its own, from the URN of its server's component."""
    place = server.rpartition("::")[0]
    return f"{place}${component}${kind}::{name}"


def is_former_component(urn: str) -> bool:
    """Whether a resource is a component that only states of earlier versions hold.

    It is removed from the state when its objects have moved, and nothing is removed from the cluster with it.
    """
    parents, kind, _ = _parts(urn)
    return kind in _FORMER_COMPONENTS and parents.endswith(SERVER_TYPE)


def is_server_component(parents: str) -> bool:
    """Whether the last of these types, joined by `$`, is a component around everything of one server."""
    return parents.rpartition("$")[2] in (SERVER_TYPE, EXISTING_SERVER_TYPE, DEPLOYED_SERVER_TYPE)


def component_around(urn: str, server: str) -> str:
    """The URN of the component around an object: the one in the object's name, or called as its server is."""
    place, project, qualified_type, name = urn.split("::", 3)
    component = object_and_component(name)[1] or server
    return f"{place}::{project}::{qualified_type.rpartition('$')[0]}::{component}"


def tree_type(urn: str) -> tuple[str, str]:
    """Types of everything around a resource, joined by `$`, and its own type."""
    parents, kind, _ = _parts(urn)
    return parents, kind


def _of_server(parents: str) -> bool:
    return parents.endswith((SERVER_TYPE, f"{SERVER_TYPE}${FORMER_ADAPTER_TYPE}"))


def _parts(urn: str) -> tuple[str, str, str]:
    """Types of everything around a resource, its own type, and its name."""
    _, _, qualified_type, name = urn.split("::", 3)
    parents, _, kind = qualified_type.rpartition("$")
    return parents, kind, name
