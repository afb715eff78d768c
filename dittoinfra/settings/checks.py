"""What a single value cannot show: settings that are right on their own and wrong together."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urlsplit

from dittoinfra import naming
from dittoinfra.model import FoundServer
from dittoinfra.settings.adapters import PORTMAPPER_PORT
from dittoinfra.settings.deploy.checks import check_deployment
from dittoinfra.settings.inside import filled
from dittoinfra.settings.layers import (
    Place,
    effective,
    effective_servers,
    found_layers,
    service_settings,
)
from dittoinfra.settings.problems import Problem, path_of
from dittoinfra.settings.server import Layer, ServerSettings
from dittoinfra.settings.stack import ANY_SERVER, StackSettings


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
        for place, why in (*_open_ports(server), *_address(server)):
            yield Problem(path_of(("servers", index, *place)), why)


def check_found(stack: StackSettings, found: Sequence[FoundServer]) -> Iterator[Problem]:
    """Every contradiction in what a valid configuration says about servers that were found in the cluster."""
    wrong: defaultdict[tuple[Place, str], list[str]] = defaultdict(list)
    for server in (effective(found_layers(stack, this)) for this in found):
        for problem in (*_layer(server), *_open_ports(server)):
            wrong[problem].append(server.name)
    for (place, message), servers in wrong.items():
        # A hundred servers share one mistake as a rule: it is one line.
        others = f" and {len(servers) - 1} more" if len(servers) > 1 else ""
        where = path_of(place).partition(":")[2]
        yield Problem(path_of(("serversFrom",)), f"for {servers[0]}{others}, {where}: {message}")


def _server_names(stack: StackSettings) -> Iterator[Problem]:
    for index in _repeated(server.name for server in stack.servers):
        name = stack.servers[index].name
        yield Problem(
            path_of(("servers", index, "name")), f"{name!r} is the name of another server; names are unique"
        )


def _passwords(stack: StackSettings) -> Iterator[Problem]:
    if stack.servers_from:
        return  # it may be for a server that is found
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


def _open_ports(server: ServerSettings) -> Iterator[tuple[Place, str]]:
    policy = server.network_policy
    if policy.mode != "disabled" and server.deploy is None and policy.ports is None:
        yield (
            ("networkPolicy", "ports"),
            "is required for a server that exists already, because its policies close every port that they "
            "do not name; list its API's port, or [] where a policy of somebody else opens it",
        )


def _address(server: ServerSettings) -> Iterator[tuple[Place, str]]:
    """Names that are filled in can make a part of an address too long, where nobody sees it."""
    if server.api.url is None:
        return
    host = urlsplit(filled(server.api.url, server.name, server.namespace)).hostname or ""
    for part in host.split("."):
        if len(part) > naming.NAME_LIMIT:
            yield (
                ("api", "url"),
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
