"""User accounts and their roles."""

import hmac
import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Literal, TypeGuard, get_args

from lab.simulator.answers import JSON, timestamp
from lab.simulator.clock import now
from lab.simulator.tokens import Claims

Role = Literal["admin", "operator", "user"]

SHORTEST_PASSWORD: Final = 8

_ADMINISTRATOR: Final[Mapping[str, JSON]] = {"display_name": "Administrator", "uid": 0, "groups": ["admins"]}


class AccountExistsError(Exception):
    """The name is taken."""


class PasswordTooShortError(Exception):
    """The server cannot hash so short a password, and answers 500 rather than saying so."""


@dataclass(frozen=True)
class Account:
    """One user of the API."""

    username: str
    password: str = field(repr=False)
    role: Role = "user"
    enabled: bool = True
    must_change_password: bool = False
    profile: Mapping[str, JSON] = field(default_factory=dict)
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    created_at: datetime = field(default_factory=now)
    last_login: datetime | None = None

    def claims(self) -> Claims:
        return Claims(self.username, self.id, self.role, self.must_change_password)

    def has_password(self, password: str) -> bool:
        return hmac.compare_digest(self.password.encode(), password.encode())

    def shown(self) -> Mapping[str, JSON]:
        """The account as the API shows it; what was never set is left out."""
        seen: Mapping[str, JSON] = {"last_login": timestamp(self.last_login)} if self.last_login else {}
        return {
            "id": self.id,
            "username": self.username,
            **self.profile,
            "role": self.role,
            "enabled": self.enabled,
            "must_change_password": self.must_change_password,
            "created_at": timestamp(self.created_at),
            **seen,
        }


def is_role(name: str) -> TypeGuard[Role]:
    return name in get_args(Role)


class Accounts:
    """Every account of one server, safe to use from any thread."""

    def __init__(self, admin_password: str) -> None:
        self._lock = threading.Lock()
        admin = Account("admin", admin_password, "admin", profile=_ADMINISTRATOR)
        self._by_name = {admin.username: admin}

    def get(self, username: str) -> Account | None:
        with self._lock:
            return self._by_name.get(username)

    def add(self, account: Account) -> None:
        _refuse_short(account.password)
        with self._lock:
            if account.username in self._by_name:
                raise AccountExistsError
            self._by_name[account.username] = account

    def remove(self, username: str) -> bool:
        """Remove the account, and say whether there was one."""
        with self._lock:
            return self._by_name.pop(username, None) is not None

    def set_enabled(self, username: str, enabled: bool) -> Account | None:
        return self._change(username, lambda account: replace(account, enabled=enabled))

    def set_password(
        self, username: str, password: str, *, must_change_password: bool = False
    ) -> Account | None:
        _refuse_short(password)

        def change(account: Account) -> Account:
            return replace(account, password=password, must_change_password=must_change_password)

        return self._change(username, change)

    def note_login(self, username: str) -> Account | None:
        return self._change(username, lambda account: replace(account, last_login=now()))

    def _change(self, username: str, change: Callable[[Account], Account]) -> Account | None:
        with self._lock:
            account = self._by_name.get(username)
            if account is None:
                return None
            self._by_name[username] = changed = change(account)
            return changed


def _refuse_short(password: str) -> None:
    if len(password) < SHORTEST_PASSWORD:
        raise PasswordTooShortError
