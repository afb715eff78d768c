"""Access rules and dispatch of requests."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from http import HTTPStatus

from lab.simulator.accounts import Accounts
from lab.simulator.adapter_table import AdapterTable
from lab.simulator.answers import Answer, RefusedError, empty, plain
from lab.simulator.clients import ClientTable
from lab.simulator.clock import now
from lab.simulator.tokens import Claims, TokenInvalidError, TokenSigner
from lab.simulator.versions import ServerVersion


@dataclass(frozen=True)
class Lifetimes:
    """Token lifetimes in seconds; zero or less makes expired tokens."""

    access: float = 900
    refresh: float = 604_800


@dataclass(frozen=True)
class Server:
    """What handlers have access to."""

    accounts: Accounts
    adapters: AdapterTable
    signer: TokenSigner
    lifetimes: Lifetimes
    clients: ClientTable
    version: ServerVersion
    started_at: datetime = field(default_factory=now)


@dataclass(frozen=True)
class Call:
    """An authorized request."""

    server: Server
    body: bytes
    params: Mapping[str, str]
    claims: Claims


class Access(IntEnum):
    """Access levels; each includes the checks of the ones before it."""

    PUBLIC = 0
    LOGGED_IN = 1
    PASSWORD_SETTLED = 2
    ADMIN_OR_OPERATOR = 3
    ADMIN = 4


Handler = Callable[[Call], Answer]


@dataclass(frozen=True)
class Route:
    """One method on one path pattern."""

    method: str
    pattern: re.Pattern[str]
    access: Access
    handler: Handler


@dataclass(frozen=True)
class Area:
    """Paths whose access rules hold even where no route exists."""

    pattern: re.Pattern[str]
    access: Access


@dataclass(frozen=True)
class Api:
    """The routes of one server version; the first match counts."""

    server: Server
    routes: Sequence[Route]
    areas: Sequence[Area]

    def answer(self, method: str, path: str, authorization: str | None, body: bytes) -> Answer:
        try:
            return self._answer(method, path, authorization, body)
        except RefusedError as refused:
            return refused.answer

    def _answer(self, method: str, path: str, authorization: str | None, body: bytes) -> Answer:
        matches = [(route, match) for route in self.routes if (match := route.pattern.fullmatch(path))]
        for route, match in matches:
            if route.method == method:
                claims = self._admit(route.access, authorization)
                return route.handler(Call(self.server, body, match.groupdict(), claims))
        self._admit(self._access_of_area(path), authorization)
        if matches:
            allowed = ", ".join(sorted({route.method for route, _ in matches}))
            return empty(HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": allowed})
        return plain(HTTPStatus.NOT_FOUND, "404 page not found")

    def _access_of_area(self, path: str) -> Access:
        return next((area.access for area in self.areas if area.pattern.match(path)), Access.PUBLIC)

    def _admit(self, access: Access, authorization: str | None) -> Claims:
        if access is Access.PUBLIC:
            return _NOBODY
        scheme, _, token = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise RefusedError(plain(HTTPStatus.UNAUTHORIZED, "Authorization header required"))
        try:
            claims = self.server.signer.verify(token, "access", time.time())
        except TokenInvalidError:
            raise RefusedError(plain(HTTPStatus.UNAUTHORIZED, "Invalid or expired token")) from None
        _refuse_unless_allowed(access, claims)
        return claims


_NOBODY = Claims(username="", user_id="", role="")


def _refuse_unless_allowed(access: Access, claims: Claims) -> None:
    name = claims.username
    if access >= Access.PASSWORD_SETTLED and claims.must_change_password:
        refusal = (
            f'account "{name}" must set a new password before performing other operations; '
            f"run 'dfsctl user change-password' (as \"{name}\") to set one"
        )
    elif access is Access.ADMIN and not claims.is_admin:
        refusal = "Admin access required"
    elif access is Access.ADMIN_OR_OPERATOR and claims.role not in ("admin", "operator"):
        refusal = "Insufficient permissions"
    else:
        return
    raise RefusedError(plain(HTTPStatus.FORBIDDEN, refusal))
