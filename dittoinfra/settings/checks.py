"""What a single value cannot show: settings that are right on their own and wrong together."""

from collections import Counter
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from dittoinfra import naming
from dittoinfra.settings.adapters import PORTMAPPER_PORT
from dittoinfra.settings.deploy.checks import check_deployment
from dittoinfra.settings.inside import filled
from dittoinfra.settings.layers import effective_servers, service_settings
from dittoinfra.settings.problems import Problem, path_of
from dittoinfra.settings.server import Layer, ServerSettings
from dittoinfra.settings.stack import ANY_SERVER, StackSettings

Place = tuple[int | str, ...]


def check(stack: StackSettings) -> Iterator[Problem]:
    """Every contradiction in a configuration whose values are each valid."""
    yield from _server_names(stack)
    yield from _passwords(stack)
    yield from _approvals(stack)
    yield from _server_secrets(stack)
    # What the stack itself gets wrong is said once, and not again for each server that inherits it.
    inherited = set(_layer(stack))
    yield from (Problem(path_of(place), message) for place, message in inherited)
    for index, (written, server) in enumerate(zip(stack.servers, effective_servers(stack), strict=True)):
        said_already = inherited.difference(_layer(written))
        own = (found for found in _layer(server) if found not in said_already)
        for place, message in (*own, *_pinned_on_own_ports(server)):
            yield Problem(path_of(("servers", index, *place)), message)
        yield from check_deployment(server, stack.server_secrets.get(server.name), ("servers", index))
        yield from _open_ports(server, ("servers", index))
        yield from _address(server, ("servers", index))


def _server_names(stack: StackSettings) -> Iterator[Problem]:
    for index in _repeated(server.name for server in stack.servers):
        name = stack.servers[index].name
        yield Problem(
            path_of(("servers", index, "name")), f"{name!r} is the name of another server; names are unique"
        )


def _passwords(stack: StackSettings) -> Iterator[Problem]:
    known = {server.name for server in stack.servers} | {ANY_SERVER}
    for name in sorted(set(stack.passwords) - known):
        yield Problem(path_of(("passwords", name)), "is not the name of a server in dittoinfra:servers")


def _server_secrets(stack: StackSettings) -> Iterator[Problem]:
    deployed = {server.name for server in stack.servers if server.deploy is not None}
    for name in sorted(set(stack.server_secrets) - deployed):
        yield Problem(path_of(("serverSecrets", name)), "is not the name of a server that this stack deploys")


def _approvals(stack: StackSettings) -> Iterator[Problem]:
    for index in _repeated(stack.approve_removals):
        yield Problem(path_of(("approveRemovals", index)), "is listed twice; name every adapter once")


def _layer(layer: Layer) -> Iterator[tuple[Place, str]]:
    pinned = layer.adapters.pinned
    where = ("adapters", "pinned")
    names: set[str] = set()
    for index, pin in enumerate(pinned):
        own = naming.adapter_names("", pin.type)
        if not names.isdisjoint(own):
            yield (*where, index, "type"), f"{pin.type!r} ends in the name of another pinned adapter"
        names.update(own)
    for index in _repeated(pin.port for pin in pinned):
        yield (*where, index, "port"), f"port {pinned[index].port} is pinned twice"
    nfs = service_settings(layer, "nfs")
    asked = nfs.extras.portmapper
    portmapper = nfs.preset == "operator" if asked is None else asked
    if portmapper and nfs.service_port == PORTMAPPER_PORT:
        yield (
            ("adapters", "types", "nfs", "servicePort"),
            f"port {PORTMAPPER_PORT} is the portmapper's; choose another, or set extras.portmapper to false",
        )


def _open_ports(server: ServerSettings, place: tuple[str, int]) -> Iterator[Problem]:
    policy = server.network_policy
    if policy.mode != "disabled" and server.deploy is None and policy.ports is None:
        yield Problem(
            path_of((*place, "networkPolicy", "ports")),
            "is required for a server that exists already, because its policies close every port that they "
            "do not name; list its API's port, or [] where a policy of somebody else opens it",
        )


def _address(server: ServerSettings, place: tuple[str, int]) -> Iterator[Problem]:
    """Names that are filled in can make a part of an address too long, where nobody sees it."""
    if server.api.url is None:
        return
    host = urlsplit(filled(server.api.url, server.name, server.namespace)).hostname or ""
    for part in host.split("."):
        if len(part) > naming.NAME_LIMIT:
            yield Problem(
                path_of((*place, "api", "url")),
                f"has {part!r} in it, and a part of a host name has at most {naming.NAME_LIMIT} characters",
            )


def _pinned_on_own_ports(server: ServerSettings) -> Iterator[tuple[Place, str]]:
    if server.deploy is None:
        return
    own = {server.deploy.api.port: "api.port"}
    if server.deploy.metrics.enabled:
        own[server.deploy.metrics.port] = "metrics.port"
    for index, pin in enumerate(server.adapters.pinned):
        if pin.port in own:
            yield ("adapters", "pinned", index, "port"), f"port {pin.port} is deploy.{own[pin.port]}"


def _repeated(values: Iterable[object]) -> list[int]:
    """Places of the values that stand in an earlier place already."""
    seen: Counter[object] = Counter()
    places = []
    for index, value in enumerate(values):
        if seen[value]:
            places.append(index)
        seen[value] += 1
    return places
