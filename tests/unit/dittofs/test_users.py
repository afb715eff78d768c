"""A user of our own, made with an administrator's login on the simulated server and on the real one."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from dittoinfra.dittofs import ApiAccess, Login
from dittoinfra.dittofs.api_access import PasswordSource
from dittoinfra.dittofs.examine import examine
from dittoinfra.dittofs.users import Created, Exists, PasswordSet, administrators_login, ensure_reader
from dittoinfra.model import Answered, Denied, Nonsense, Unreachable
from lab.bed.credentials import credential
from lab.bed.dfs import RealDittoFS
from lab.simulator import SimulatedDittoFS

PASSWORD = credential("reader")
OTHER = credential("other")


@dataclass(frozen=True)
class Place:
    """A server, and both logins."""

    administrator: Login
    reader: ApiAccess

    def give(self, *, new_password: bool = False) -> object:
        return ensure_reader(self.reader, self.administrator, new_password=new_password)

    def by(self, username: str, password: str) -> "Place":
        """The same server, its reader another one."""
        return replace(self, reader=replace(self.reader, login=login(username, password)))


def login(username: str, password: str) -> Login:
    return Login(username, SecretStr(password), PasswordSource("the test", "mend it"))


def place(url: str, admin_password: str) -> Place:
    admin = administrators_login("admin", SecretStr(admin_password))
    return Place(admin, ApiAccess(url, login("dittoinfra", PASSWORD)))


@pytest.fixture(params=["simulated", "real"])
def there(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "simulated":
        with SimulatedDittoFS() as simulated:
            yield place(simulated.url, simulated.admin_password)
    else:
        with RealDittoFS(request.getfixturevalue("dfs_binary"), tmp_path) as real:
            yield place(real.url, real.admin_password)


def test_a_new_user_may_ask_at_once_and_is_no_more_than_a_user(there: Place) -> None:
    assert there.give() == Created()

    examined = examine(there.reader)

    assert isinstance(examined.outcome, Answered)
    assert examined.role == "user"
    assert examined.clock_ahead is not None
    assert abs(examined.clock_ahead.total_seconds()) < 60


def test_a_user_that_is_there_keeps_its_password_unless_told(there: Place) -> None:
    there.give()
    changed = there.by("dittoinfra", OTHER)

    assert changed.give() == Exists("user")
    assert isinstance(examine(there.reader).outcome, Answered)

    assert changed.give(new_password=True) == PasswordSet()
    assert isinstance(examine(changed.reader).outcome, Answered)


def test_an_administrator_is_never_given_another_password(there: Place) -> None:
    itself = there.by("admin", OTHER)

    assert itself.give(new_password=True) == Exists("admin")
    assert examine(replace(there.reader, login=there.administrator)).role == "admin"


def test_a_user_who_is_no_administrator_is_told_so(there: Place) -> None:
    there.give()
    plain = replace(there.by("another", OTHER), administrator=login("dittoinfra", PASSWORD))

    refused = plain.give()

    assert isinstance(refused, Denied)
    assert refused.why.endswith(
        "answered HTTP 403 'Admin access required' to 'dittoinfra'; log in as an administrator of the server"
    )


def test_a_wrong_password_of_the_administrator_is_told_without_it(there: Place) -> None:
    wrong = replace(there, administrator=administrators_login("admin", SecretStr(OTHER)))

    refused = wrong.give()

    assert isinstance(refused, Denied)
    assert "refused user 'admin' with the password from the administrator's login (HTTP 401)" in refused.why
    assert OTHER not in refused.why


@pytest.mark.parametrize("path", ["/api/v1/users", "/api/v1/users/dittoinfra"])
def test_an_odd_answer_is_told_and_shows_no_password(path: str) -> None:
    with SimulatedDittoFS() as simulated:
        there = place(simulated.url, simulated.admin_password)
        there.give()
        simulated.answer_with(418, f"no tea for {PASSWORD}", "text/plain", path=path)

        refused = there.give(new_password=True)

    assert isinstance(refused, Nonsense)
    assert "answered HTTP 418 'no tea for ***'" in refused.why


def test_a_role_that_cannot_be_read_is_not_taken_for_a_users() -> None:
    with SimulatedDittoFS() as simulated:
        there = place(simulated.url, simulated.admin_password)
        there.give()
        simulated.answer_with(200, "[]", path="/api/v1/users/dittoinfra")

        assert there.give(new_password=True) == Exists("unknown")


def test_a_server_that_is_away_or_slow_is_told() -> None:
    with SimulatedDittoFS() as simulated:
        there = place(simulated.url, simulated.admin_password)
        simulated.delay(5, path="/api/v1/users")
        slow = replace(there, reader=replace(there.reader, deadline=0.5))

        late = slow.give()
        simulated.stop()
        away = there.give()

    assert isinstance(late, Unreachable)
    assert "gave no answer within 0.5 s" in late.why
    assert isinstance(away, Unreachable)
    assert "the connection was refused" in away.why


def test_a_server_that_does_not_say_who_we_are_is_examined_all_the_same() -> None:
    with SimulatedDittoFS() as simulated:
        there = place(simulated.url, simulated.admin_password)
        for status, body in ((500, ""), (200, "{}"), (404, "")):
            simulated.answer_with(status, body, path="/api/v1/auth/me", times=1)

            examined = examine(replace(there.reader, login=there.administrator))

            assert isinstance(examined.outcome, Answered)
            assert examined.role is None
