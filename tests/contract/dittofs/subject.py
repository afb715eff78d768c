"""A server under contract, simulated or real, spoken to in raw HTTP."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx

from lab.bed.credentials import credential, noted
from lab.simulator.versions import ServerVersion

Role = Literal["admin", "operator", "user"]

LOGIN = "/api/v1/auth/login"
REFRESH = "/api/v1/auth/refresh"
ME = "/api/v1/auth/me"
USERS = "/api/v1/users"
ADAPTERS = "/api/v1/adapters"
PORTS = "/api/v1/adapters/ports"


@dataclass(frozen=True)
class Credentials:
    """A name and a password, in the order in which one gives them."""

    username: str
    password: str


@dataclass(frozen=True)
class Subject:
    """What a contract test may know about the server it talks to: nothing that tells whether it is real."""

    client: httpx.Client
    version: ServerVersion
    secret: str
    admin: Credentials
    restart: Callable[[], None]
    home_ports: Mapping[str, int]
    _tokens: dict[Role, str] = field(default_factory=dict)

    def call(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        json: object = None,
        raw: bytes | None = None,
    ) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self.client.request(method, path, headers=headers, json=json, content=raw)

    def as_role(self, role: Role, method: str, path: str, json: object = None) -> httpx.Response:
        return self.call(method, path, token=self.token(role), json=json)

    def as_admin(self, method: str, path: str, json: object = None) -> httpx.Response:
        return self.as_role("admin", method, path, json)

    def login(self, who: Credentials) -> httpx.Response:
        return self.call("POST", LOGIN, json={"username": who.username, "password": who.password})

    def token(self, role: Role) -> str:
        """An access token of that role, fetched once: a login costs the real server a tenth of a second."""
        if role not in self._tokens:
            who = self.admin if role == "admin" else self.new_user(role)
            self._tokens[role] = noted(self.login(who).json()["access_token"], "access token")
        return self._tokens[role]

    def new_user(self, role: Role = "user") -> Credentials:
        """A fresh account that no other test knows."""
        who = Credentials(f"{role}-{secrets.token_hex(4)}", credential(role))
        body = {"username": who.username, "password": who.password, "role": role}
        assert self.as_admin("POST", USERS, body).status_code == 201
        return who

    def adapters(self) -> dict[str, dict[str, Any]]:
        """The lean list, by type."""
        return {adapter["type"]: adapter for adapter in self.as_admin("GET", PORTS).json()}

    def restore_adapters(self) -> None:
        """Bring both adapters back to how every test may expect them."""
        for adapter_type, port in self.home_ports.items():
            wanted = {"port": port, "enabled": True, "config": {}}
            if self.as_admin("PUT", f"{ADAPTERS}/{adapter_type}", wanted).status_code == 404:
                created = self.as_admin("POST", ADAPTERS, {"type": adapter_type, "port": port})
                assert created.status_code == 201


def assert_plain(answer: httpx.Response, status: int, text: str) -> None:
    """The middleware's form of an error."""
    assert answer.status_code == status
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text == f"{text}\n"


def assert_problem(answer: httpx.Response, status: int, title: str, detail: str) -> None:
    """The handlers' form of an error."""
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() == {"type": "about:blank", "title": title, "status": status, "detail": detail}


def assert_object(answer: httpx.Response, status: int = 200) -> dict[str, Any]:
    """The form of a success about one thing; returns the thing."""
    body = _json(answer, status)
    assert isinstance(body, dict)
    return body


def assert_list(answer: httpx.Response) -> list[dict[str, Any]]:
    """The form of a success about many things; returns the things."""
    body = _json(answer, 200)
    assert isinstance(body, list)
    return body


def _json(answer: httpx.Response, status: int) -> object:
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    body: object = answer.json()
    return body


def types_of(value: Mapping[str, Any]) -> dict[str, type]:
    """The members of an object and what they are."""
    return {name: type(member) for name, member in value.items()}
