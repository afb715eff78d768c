"""Checks of settings that are valid on their own and wrong together."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from urllib.parse import urlsplit

from dittoinfra import naming
from dittoinfra.model import DEFAULT_PORTS, FoundServer
from dittoinfra.settings.adapter_settings import PORTMAPPER_PORT, ServiceSettings
from dittoinfra.settings.deploy import Deploy, ServerSecrets
from dittoinfra.settings.layers import Place, effective, effective_servers, found_layers, service_settings
from dittoinfra.settings.problems import Problem, SettingPath, path_of
from dittoinfra.settings.server import ByUrl, Layer, ServerSettings, api_endpoint
from dittoinfra.settings.setting_words import STACK_WORDS, SettingWords
from dittoinfra.settings.stack import ANY_SERVER, StackSettings

PERCONA_NAME_LIMIT = 28
"""Percona adds `-postgres-instance1-` and four letters, and a StatefulSet's name must stay within 52."""

_OTHER_WORDS = {"cifs": "smb", "samba": "smb"}
"""What people call an adapter type otherwise."""

_Finding = tuple[Place, str]
"""Where something is wrong, and what."""


def check(stack: StackSettings, words: SettingWords = STACK_WORDS) -> Iterator[Problem]:
    """Every contradiction in a configuration whose values are each valid; `words` name other settings."""
    # What the stack itself gets wrong is reported once, and not again for each server that inherits it.
    inherited = set(_layer(stack))
    for place, message in (*_names(stack), *inherited):
        yield Problem(path_of(place), message)
    for index, (written, server) in enumerate(zip(stack.servers, effective_servers(stack), strict=True)):
        reported = inherited.difference(_layer(written))
        own = (finding for finding in _layer(server) if finding not in reported)
        secrets = stack.server_secrets.get(server.name) or ServerSecrets()
        for place, message in (*own, *_server(server), *_deployment(server, secrets, words)):
            yield Problem(path_of(("servers", index, *place)), message)


def check_found(stack: StackSettings, found: FoundServer) -> Iterator[Problem]:
    """Every contradiction in what a valid configuration says about a server that was found in the cluster."""
    server = effective(found_layers(stack, found))
    for place, message in (*_layer(server), *_open_ports(server)):
        yield Problem(SettingPath(place), message)


def _names(stack: StackSettings) -> Iterator[_Finding]:
    """Names of servers and adapters that are repeated, or that nothing has."""
    named = [server.name for server in stack.servers]
    for index in _repeated(named):
        yield ("servers", index, "name"), f"{named[index]!r} is the name of another server; names are unique"
    for index in _repeated(stack.approve_removals):
        yield ("approveRemovals", index), "is listed twice; name every adapter once"
    if not stack.servers_from:  # else a password may be for a server that is found
        for name in sorted(stack.passwords.keys() - {*named, ANY_SERVER}):
            yield (
                ("passwords", name),
                f"is not the name of a server in dittoinfra:servers{_nearest(name, named)}",
            )
    deployed = {server.name for server in stack.servers if server.deploy is not None}
    for name in sorted(stack.server_secrets.keys() - deployed):
        near = _nearest(name, deployed)
        yield ("serverSecrets", name), f"is not the name of a server that this stack deploys{near}"


def _nearest(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _layer(layer: Layer) -> Iterator[_Finding]:
    pinned = layer.adapters.pinned
    where = ("adapters", "pinned")
    yield from _misspelt(layer)
    names: set[str] = set()
    for index, pin in enumerate(pinned):
        own = naming.adapter_names("", pin.type)
        if not names.isdisjoint(own):
            yield (*where, index, "type"), f"{pin.type!r} ends in the name of another pinned adapter"
        names.update(own)
    for index in _repeated([pin.port for pin in pinned]):
        yield (*where, index, "port"), f"port {pinned[index].port} is pinned twice"
    yield from _open_to_everyone(layer)
    nfs = service_settings(layer, "nfs")
    portmapper = nfs.extras.portmapper
    if portmapper is None:
        portmapper = nfs.preset == "operator"
    if portmapper and nfs.service_port == PORTMAPPER_PORT:
        yield (
            ("adapters", "types", "nfs", "servicePort"),
            f"port {PORTMAPPER_PORT} is the portmapper's; choose another, or set extras.portmapper to false",
        )


def _misspelt(layer: Layer) -> Iterator[_Finding]:
    """Adapter types that are one slip away from a known one, or another word for it.

    Any other unknown type may be one of a later DittoFS.
    """
    types: list[tuple[Place, str]] = [(("adapters", "types", name), name) for name in layer.adapters.types]
    types += [
        (("adapters", "pinned", index, "type"), pin.type) for index, pin in enumerate(layer.adapters.pinned)
    ]
    for place, name in types:
        if (meant := _meant_type(name)) is not None:
            yield place, f"{name!r} is no adapter type; did you mean {meant!r}?"


def _meant_type(name: str) -> str | None:
    """The known type that was meant; None where the type is known, or like none of them."""
    if name in DEFAULT_PORTS:
        return None
    lower = name.lower()
    alike = (known for known in DEFAULT_PORTS if _one_slip(lower, known))
    return _OTHER_WORDS.get(lower) or next(alike, None)


def _one_slip(word: str, known: str) -> bool:
    """Whether letters are in another order, or one is missing or too many.

    With one letter exchanged it may be another protocol (afs), and with a number behind it, a version of one.
    """
    if sorted(word) == sorted(known):
        return True
    longer, shorter = (word, known) if len(word) > len(known) else (known, word)
    one_less = (longer[:i] + longer[i + 1 :] for i in range(len(longer)))
    return shorter in one_less and not longer[-1].isdigit()


def _open_to_everyone(layer: Layer) -> Iterator[_Finding]:
    """Source ranges that the Service cannot have: if they were ignored, it would be open to everyone."""
    blocks: list[tuple[Place, ServiceSettings]] = [(("adapters", "service"), layer.adapters.service)]
    blocks += [
        (("adapters", "types", name), service_settings(layer, name))
        for name, own in layer.adapters.types.items()
        if own.model_fields_set & {"type", "source_ranges"}
    ]
    for place, settings in blocks:
        if settings.source_ranges and settings.type != "LoadBalancer":
            yield (
                (*place, "sourceRanges"),
                f"a {settings.type} Service has no source ranges and would let everyone in; set its type to "
                "LoadBalancer, or set sourceRanges to [] and say who may connect in networkPolicyFrom, "
                "with networkPolicy.mode enabled",
            )


def _server(server: ServerSettings) -> Iterator[_Finding]:
    yield from _open_ports(server)
    # Names that are filled in can make a part of an address too long, which its template does not show.
    host = urlsplit(server.filled(server.api.url or "")).hostname or ""
    for part in host.split("."):
        if len(part) > naming.NAME_LIMIT:
            yield (
                ("api", "url"),
                f"has {part!r} in it, and a part of a host name has at most {naming.NAME_LIMIT} characters",
            )


def _open_ports(server: ServerSettings) -> Iterator[_Finding]:
    policy = server.network_policy
    if policy.mode != "disabled" and server.deploy is None and policy.ports is None:
        yield (
            ("networkPolicy", "ports"),
            "is required for a server that exists already, because its policies close every port that they "
            "do not name; list its API's port, or [] where another policy opens it",
        )


def _deployment(server: ServerSettings, secrets: ServerSecrets, words: SettingWords) -> Iterator[_Finding]:
    """What must fit together before a server can be deployed."""
    deploy = server.deploy
    if deploy is None:
        return
    own_ports = {deploy.api.port: "api.port"}
    if deploy.metrics.enabled:
        own_ports[deploy.metrics.port] = "metrics.port"
    for index, pin in enumerate(server.adapters.pinned):
        if pin.port in own_ports:
            yield ("adapters", "pinned", index, "port"), f"port {pin.port} is deploy.{own_ports[pin.port]}"
    if deploy.database.percona is not None and len(server.name) > PERCONA_NAME_LIMIT:
        yield (
            ("deploy", "database", "percona"),
            f"needs a server name of at most {PERCONA_NAME_LIMIT} characters, because Percona's own names "
            f"become longer ({server.name!r} has {len(server.name)})",
        )
    for key, reference, value in (
        ("jwt", deploy.credentials.jwt, secrets.jwt),
        ("adminPassword", deploy.credentials.admin_password, secrets.admin_password),
    ):
        place, setting = ("deploy", "credentials", key), path_of(("serverSecrets", server.name, key))
        if reference is None and value is None:
            yield place, f"is required; name a Secret that exists, or {words.set_secret(setting)}"
        elif reference is not None and value is not None:
            yield place, f"and {words.name(setting)} both say where it comes from; drop one"
    yield from _client(server, deploy)


def _client(server: ServerSettings, deploy: Deploy) -> Iterator[_Finding]:
    """Whether the program's own client can speak with the API that it deploys."""
    tls, endpoint = deploy.api.tls, api_endpoint(server)
    routed = deploy.api.ingress is not None or deploy.api.gateway is not None
    by_url = isinstance(endpoint, ByUrl)
    # A route ends TLS by itself, so what a client meets there says nothing about the server behind it.
    if tls is None or endpoint is None or (routed and by_url):
        return
    if urlsplit(endpoint.url).scheme == "http":
        setting: Place = ("url",) if by_url else ("portForward", "scheme")
        right = "https://" if by_url else "https"
        yield ("api", *setting), f"must be {right}, because deploy.api.tls makes the API speak TLS"
    explicit = isinstance(endpoint, ByUrl) or endpoint.explicit
    if tls.client_ca is not None and server.api.client_certificate is None and explicit:
        yield (
            ("api", "clientCertificate"),
            "is required, because deploy.api.tls.clientCa lets no client in without one",
        )


def _repeated(values: Sequence[object]) -> list[int]:
    """Indices of the values that occur earlier already."""
    first = {value: index for index, value in reversed(list(enumerate(values)))}
    return [index for index, value in enumerate(values) if first[value] != index]
