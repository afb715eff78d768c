"""The response formats of the API: JSON, problem details, plain text, and no body."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from typing import TypeAlias

JSON: TypeAlias = "str | int | bool | Sequence[JSON] | Mapping[str, JSON] | None"


@dataclass(frozen=True)
class Answer:
    """One HTTP response."""

    status: int
    body: bytes = b""
    content_type: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class RefusedError(Exception):
    """The request is refused with this response."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


def ok(value: JSON, status: int = HTTPStatus.OK) -> Answer:
    """A successful response."""
    return Answer(status, _encoded(value), "application/json")


def problem(status: HTTPStatus, detail: str, **extra: JSON) -> Answer:
    """An error of a handler: RFC 7807, always with these four members."""
    members: dict[str, JSON] = {
        "type": "about:blank",
        "title": status.phrase,
        "status": int(status),
        "detail": detail,
    }
    return Answer(status, _encoded(members | extra), "application/problem+json")


def plain(status: HTTPStatus, text: str) -> Answer:
    """An error of the middleware."""
    return Answer(
        status, f"{text}\n".encode(), "text/plain; charset=utf-8", {"X-Content-Type-Options": "nosniff"}
    )


def empty(status: HTTPStatus, headers: Mapping[str, str] | None = None) -> Answer:
    """A response without a body: 204, 405, and 500 after a panic."""
    return Answer(status, headers=headers or {})


def timestamp(moment: datetime) -> str:
    """An RFC 3339 time in UTC, as Go prints one."""
    return moment.isoformat().replace("+00:00", "Z")


def _encoded(value: JSON) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
