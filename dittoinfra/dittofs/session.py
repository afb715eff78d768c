"""Tokens of one API: a login, kept for the run, refreshed while the refresh token lives."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from dittoinfra.dittofs.api_access import ApiAccess, Login
from dittoinfra.dittofs.http_api import HttpApi, Reply
from dittoinfra.dittofs.parse import STRICT, InvalidAnswerError, read_json
from dittoinfra.dittofs.poll_errors import FinalError
from dittoinfra.dittofs.text import Secrets, quote
from dittoinfra.model import Denied, Nonsense

LOGIN = "/api/v1/auth/login"
REFRESH = "/api/v1/auth/refresh"

LONGEST_MARGIN = 10.0
"""Seconds before its end at which a token counts as expired: it must survive the request that carries it."""

# The characters that RFC 6750 allows: anything else could not travel in a header.
_Token = Annotated[str, Field(pattern=r"^[A-Za-z0-9._~+/-]+=*$", max_length=16384)]


class _User(BaseModel):
    model_config = STRICT

    must_change_password: bool = False


class _Login(BaseModel):
    """What we need of a login's answer; the server says more."""

    model_config = STRICT

    access_token: _Token
    refresh_token: _Token | None = None
    token_type: Annotated[str, Field(pattern="^(?i:bearer)$")]
    expires_in: Annotated[int, Field(gt=0)]
    user: _User = _User()


@dataclass(frozen=True, slots=True)
class _Tokens:
    access: str = field(repr=False)
    refresh: str | None = field(repr=False)
    expires: float
    """When the access token counts as expired, on the session's clock."""


class Session:
    """Gives out a token that should be good, at the least cost: kept, refreshed, or by a login."""

    def __init__(self, access: ApiAccess, api: HttpApi, secrets: Secrets, clock: Callable[[], float]) -> None:
        self._access = access
        self._api = api
        self._secrets = secrets
        self._clock = clock
        self._login: Login | None = None
        self._tokens: _Tokens | None = None

    @property
    def login(self) -> Login:
        """The login that the tokens belong to; known after the first one."""
        if self._login is None:
            raise RuntimeError("no login has been read yet")
        return self._login

    def drop(self) -> None:
        """Forget the tokens: a server that refused one has most likely changed its key, and refuses both."""
        self._tokens = None

    async def token(self) -> str:
        tokens = self._tokens
        if tokens is not None and self._clock() >= tokens.expires:
            tokens = await self._refresh(tokens)
        if tokens is None:
            tokens = await self._log_in()
        self._tokens = tokens
        return tokens.access

    async def _refresh(self, tokens: _Tokens) -> _Tokens | None:
        if tokens.refresh is None:
            return None
        reply = await self._api.post(REFRESH, {"refresh_token": tokens.refresh})
        # Whatever is wrong with a refresh token, a login with the password gives the better error.
        return self._accept(reply) if reply.status == 200 else None

    async def _log_in(self) -> _Tokens:
        stored = self._access.login
        # Read anew for every login: the stored password may have changed since.
        self._login = login = stored if isinstance(stored, Login) else await stored()
        password = login.password.get_secret_value()
        self._secrets.add(password)
        reply = await self._api.post(LOGIN, {"username": login.username, "password": password})
        if reply.status != 200:
            raise self._refused(reply)
        return self._accept(reply)

    def _accept(self, reply: Reply) -> _Tokens:
        try:
            answer = _Login.model_validate(read_json(reply.body))
        except InvalidAnswerError as error:
            # Not quoted: half a login may hold a whole token.
            raise self._nonsense(reply, error.problem) from None
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "it"
            raise self._nonsense(reply, f"is no login ({where}: {first['msg']})") from None
        self._secrets.add(answer.access_token)
        if answer.refresh_token is not None:
            self._secrets.add(answer.refresh_token)
        if answer.user.must_change_password:
            raise FinalError(must_change_password(self.login, reply.subject))
        margin = min(LONGEST_MARGIN, answer.expires_in / 2)
        return _Tokens(answer.access_token, answer.refresh_token, self._clock() + answer.expires_in - margin)

    def _nonsense(self, reply: Reply, problem: str) -> FinalError:
        return FinalError(Nonsense(f"{reply.subject}: the answer {problem}", self._access.check_setting))

    def _refused(self, reply: Reply) -> FinalError:
        user, source = quote(self.login.username), self.login.source
        cause = reply.refusal(self._secrets.hide)
        match reply.status:
            case 401:
                where = f"with the password from {source}"
                return FinalError(
                    Denied(f"{reply.subject} refused user {user} {where} (HTTP 401)", source.fix)
                )
            case 403 if reply.wants_new_password:
                return FinalError(must_change_password(self.login, reply.subject))
            case 403:
                return FinalError(Denied(cause, f"check that user {user} is enabled there"))
            case _:
                return FinalError(Nonsense(cause, self._access.check_setting))


def must_change_password(login: Login, subject: str) -> Denied:
    user = quote(login.username)
    cause = f"{subject}: user {user} must change the password first"
    next_step = f"run dfsctl user change-password as {user} and put it into {login.source}"
    return Denied(cause, next_step)
