"""Stateless access and refresh tokens: JSON Web Tokens signed with HMAC-SHA256."""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["access", "refresh"]

_HEADER = {"alg": "HS256", "typ": "JWT"}


class TokenInvalidError(Exception):
    """The token was not signed by this server, or is of the other kind."""


class TokenExpiredError(TokenInvalidError):
    """The token has expired."""


@dataclass(frozen=True)
class Claims:
    """The claims of a token, whatever has become of the account since."""

    username: str
    user_id: str
    role: str
    must_change_password: bool = False

    @property
    def is_admin(self) -> bool:
        return self.role == "admin"


@dataclass(frozen=True)
class TokenSigner:
    """Signs and verifies with one secret; two servers with the same secret accept each other's tokens."""

    secret: str = field(repr=False)

    def sign(self, claims: Claims, kind: Kind, issued_at: float, lifetime: float) -> str:
        payload = {
            "iss": "dittofs",
            "sub": claims.username,
            # Whole seconds, cut off: a token of two seconds really lives between one and two.
            "exp": int(issued_at + lifetime),
            "iat": int(issued_at),
            "uid": claims.user_id,
            "username": claims.username,
            "role": claims.role,
            "token_type": kind,
            "must_change_password": claims.must_change_password,
        }
        signed = f"{_encode_json(_HEADER)}.{_encode_json(payload)}"
        return f"{signed}.{_encode(self._signature(signed))}"

    def verify(self, token: str, kind: Kind, now: float) -> Claims:
        signed, _, signature = token.rpartition(".")
        # Compared as bytes: compare_digest refuses text that is not ASCII.
        if not hmac.compare_digest(_encode(self._signature(signed)).encode(), signature.encode()):
            raise TokenInvalidError
        payload = _decode_json(signed.partition(".")[2])
        if now >= payload["exp"]:
            raise TokenExpiredError
        if payload["token_type"] != kind:
            raise TokenInvalidError
        return Claims(
            payload["username"], payload["uid"], payload["role"], payload.get("must_change_password", False)
        )

    def _signature(self, signed: str) -> bytes:
        return hmac.new(self.secret.encode(), signed.encode(), hashlib.sha256).digest()


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _encode_json(value: object) -> str:
    return _encode(json.dumps(value, separators=(",", ":")).encode())


def _decode_json(text: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    return value
