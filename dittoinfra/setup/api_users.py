"""The user that a stack logs in as at each server: whether its login works and, if not, making it work."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from dittoinfra.dittofs import ApiAccess, Login, NotAsked
from dittoinfra.dittofs.examine import examine
from dittoinfra.dittofs.users import READER, Created, Exists, PasswordSet, ReaderOutcome, ensure_reader
from dittoinfra.model import Answered, Denied, Unreachable
from dittoinfra.settings import ServerSecrets, ServerSettings
from dittoinfra.setup.setup_documents import InitUser, UserStatus
from dittoinfra.stacks.server_access import first_administrator

_Connect = Callable[[], ApiAccess | NotAsked]


class UserState(InitUser):
    """The state of a server's user, as `init --json` prints it and one thing more."""

    denied: bool = False
    """Whether a login was refused."""


@dataclass(frozen=True, slots=True)
class UserPrompts:
    """What provides logins and permissions when a user has to be created."""

    administrator: Callable[[str], Login | None]
    """An administrator's login at a server; None where there is no person to ask."""
    may_set_password: Callable[[str, str], bool]
    """Whether an existing user of a server may be given a new password."""
    say: Callable[[str], None]
    another_administrator: Callable[[str], Login | None] | None = None
    """Another login, typed now, where one was refused, or None to give up; None where there is no person."""


def ensure_user(
    server: ServerSettings,
    connect: _Connect,
    secrets: ServerSecrets | None,
    prompts: UserPrompts,
    *,
    new: bool,
) -> UserState:
    """Poll with the stack's own login and, where it is refused, create its user as an administrator.

    `connect` gives the access to the API, anew each time. A `new` stack has not deployed its servers yet.
    """
    name = server.api.username
    result = partial(UserState, server=server.name, username=name)
    if new and server.deploy is not None:
        text = "not deployed yet; the first `up` creates its user"
        return result(state="not there yet", text=text)
    access = connect()
    if isinstance(access, NotAsked):
        return result(state="not asked", text=access.why)
    prompts.say(f"{server.name}: asking {access.url} as {name}")
    examined = examine(access)
    match examined.outcome:
        case Answered(adapters):
            text = f"user {name} can log in and sees {len(adapters)} adapters"
            if examined.role not in (None, READER):
                text += f"; its role is {examined.role}, and `{READER}` would be enough"
            return result(state="works", text=text)
        case Denied() as refused:
            administrator = first_administrator(secrets) or prompts.administrator(server.name)
            if administrator is None:
                return result(state="failed", text=refused.why, denied=True)
            return _create_user(server, connect, administrator, prompts)
        case unanswered:
            state = "failed" if server.deploy is None else "not there yet"
            return result(state=state, text=unanswered.why)


def _create_user(
    server: ServerSettings, connect: _Connect, administrator: Login, prompts: UserPrompts
) -> UserState:
    name = server.api.username
    failed = partial(UserState, server=server.name, username=name, state="failed")
    given = _give_reader(connect, administrator, new_password=False)
    # The refused login is never tried again: a server may lock the account after a few attempts.
    while isinstance(given, Denied) and prompts.another_administrator is not None:
        prompts.say(f"  {given.why}")
        other = prompts.another_administrator(server.name)
        if other is None:
            break
        administrator = other
        given = _give_reader(connect, administrator, new_password=False)
    if given == Exists(READER) and prompts.may_set_password(server.name, name):
        given = _give_reader(connect, administrator, new_password=True)
    match given:
        case Created() | PasswordSet():
            return _verify_user(server, connect, "created" if isinstance(given, Created) else "password set")
        case Exists(role) if role == READER:
            text = (
                f"user {name} exists already with another password; name another user in api.username, or "
                "pass --reset-password to replace its password, which locks out everything that uses the old "
                "one"
            )
            return failed(text=text, denied=True)
        case Exists(role):
            text = f"user {name} exists already with the role {role}; name another user in api.username"
            return failed(text=text, denied=True)
        case unanswered:
            return failed(text=unanswered.why, denied=isinstance(unanswered, Denied))


def _give_reader(connect: _Connect, administrator: Login, *, new_password: bool) -> ReaderOutcome:
    match connect():
        case NotAsked(cause, next_step):
            return Unreachable(cause, next_step)
        case access:
            return ensure_reader(access, administrator, new_password=new_password)


def _verify_user(server: ServerSettings, connect: _Connect, state: UserStatus) -> UserState:
    name, access = server.api.username, connect()
    result = partial(UserState, server=server.name, username=name)
    outcome = access if isinstance(access, NotAsked) else examine(access).outcome
    if isinstance(outcome, Answered):
        text = f"user {name} ({state}) can log in and sees {len(outcome.adapters)} adapters"
        return result(state=state, text=text)
    return result(state="failed", text=outcome.why, denied=isinstance(outcome, Denied))


def next_steps(stack: str, users: tuple[UserState, ...]) -> Iterator[str]:
    """What a person does next, as commands."""
    if any(user.state == "failed" for user in users):
        yield f"dittoinfra init {stack}"
        return
    yield f"dittoinfra preview {stack}"
    yield f"dittoinfra up {stack}"
