"""The forms in which the API answers: JSON, problem details, plain text, and nothing."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from typing import TypeAlias

JSON: TypeAlias = "str | int | bool | Sequence[JSON] | Mapping[str, JSON] | None"


@dataclass(frozen=True)
class Answer:
    """One HTTP response, complete except for what the socket adds."""

    status: int
    body: bytes = b""
    content_type: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class RefusedError(Exception):
    """The request goes no further: this is its answer."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


def ok(value: JSON, status: int = HTTPStatus.OK) -> Answer:
    """What a handler says when all is well."""
    return Answer(status, _encoded(value), "application/json")


def problem(status: HTTPStatus, detail: str, **extra: JSON) -> Answer:
    """How handlers refuse: RFC 7807, always with these four members."""
    members: dict[str, JSON] = {
        "type": "about:blank",
        "title": status.phrase,
        "status": int(status),
        "detail": detail,
    }
    return Answer(status, _encoded(members | extra), "application/problem+json")


def plain(status: HTTPStatus, text: str) -> Answer:
    """How the middleware refuses, before any handler has run."""
    return Answer(
        status, f"{text}\n".encode(), "text/plain; charset=utf-8", {"X-Content-Type-Options": "nosniff"}
    )


def empty(status: HTTPStatus, headers: Mapping[str, str] | None = None) -> Answer:
    """A bare status: 204, 405, and the 500 of a handler that panicked."""
    return Answer(status, headers=headers or {})


def timestamp(moment: datetime) -> str:
    """An RFC 3339 time in UTC, as Go prints one."""
    return moment.isoformat().replace("+00:00", "Z")


def _encoded(value: JSON) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
