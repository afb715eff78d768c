"""The paths of the API and their access levels."""

import re
from collections.abc import Sequence
from typing import Final

from lab.simulator.api import Access, Api, Area, Handler, Route, Server
from lab.simulator.handlers import adapters, auth, clients, health, users
from lab.simulator.versions import ServerVersion

_API: Final = "/api/v1"


def api_of(server: Server, version: ServerVersion) -> Api:
    """The API of a server version."""
    # Without its own route the path falls into /adapters/{type}, where no adapter is called "ports".
    ports = [_PORTS] if version.lists_ports else []
    return Api(server, [*ports, *_ROUTES], _AREAS)


def _route(method: str, path: str, access: Access, handler: Handler) -> Route:
    return Route(method, _pattern(path), access, handler)


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path))


_PORTS: Final = _route("GET", f"{_API}/adapters/ports", Access.PASSWORD_SETTLED, adapters.list_ports)

_ROUTES: Final[Sequence[Route]] = [
    _route("GET", "/health", Access.PUBLIC, health.live),
    _route("GET", "/health/ready", Access.PUBLIC, health.ready),
    _route("POST", f"{_API}/auth/login", Access.PUBLIC, auth.login),
    _route("POST", f"{_API}/auth/refresh", Access.PUBLIC, auth.refresh),
    _route("GET", f"{_API}/auth/me", Access.LOGGED_IN, auth.me),
    _route("POST", f"{_API}/users/me/password", Access.LOGGED_IN, users.change_own_password),
    _route("POST", f"{_API}/users", Access.ADMIN, users.create),
    _route("GET", f"{_API}/users/{{username}}", Access.PASSWORD_SETTLED, users.get),
    _route("PUT", f"{_API}/users/{{username}}", Access.ADMIN, users.update),
    _route("DELETE", f"{_API}/users/{{username}}", Access.ADMIN, users.remove),
    _route("POST", f"{_API}/users/{{username}}/password", Access.ADMIN, users.reset_password),
    _route("GET", f"{_API}/adapters", Access.ADMIN_OR_OPERATOR, adapters.list_all),
    _route("POST", f"{_API}/adapters", Access.ADMIN, adapters.create),
    _route("GET", f"{_API}/adapters/{{type}}", Access.ADMIN, adapters.get),
    _route("PUT", f"{_API}/adapters/{{type}}", Access.ADMIN, adapters.update),
    _route("DELETE", f"{_API}/adapters/{{type}}", Access.ADMIN, adapters.remove),
    _route("GET", f"{_API}/adapters/{{type}}/status", Access.ADMIN, adapters.status),
    _route("GET", f"{_API}/adapters/{{type}}/settings", Access.ADMIN, adapters.get_settings),
    _route("PATCH", f"{_API}/adapters/{{type}}/settings", Access.ADMIN, adapters.patch_settings),
    _route("GET", f"{_API}/clients", Access.ADMIN, clients.list_clients),
    _route("GET", f"{_API}/mounts", Access.ADMIN, clients.list_mounts),
    _route("GET", f"{_API}/durable-handles", Access.ADMIN, clients.list_durable_handles),
    _route("POST", f"{_API}/system/drain-uploads", Access.ADMIN, clients.drain_uploads),
]

_AREAS: Final[Sequence[Area]] = [
    Area(re.compile(f"{_API}/users/me/password$"), Access.LOGGED_IN),
    Area(re.compile(f"{_API}/users(/|$)"), Access.PASSWORD_SETTLED),
    Area(re.compile(f"{_API}/adapters/."), Access.ADMIN),
    Area(re.compile(f"{_API}/(clients|mounts|durable-handles|system)(/|$)"), Access.ADMIN),
    Area(re.compile(f"{_API}/adapters(/|$)"), Access.PASSWORD_SETTLED),
]
