"""What is known about a new stack from flags and the environment, and what is missing or wrong in it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import typer

from dittoinfra.cli.command_errors import UsageError, failed_with
from dittoinfra.cli.console import say
from dittoinfra.exitcodes import ExitCode

if TYPE_CHECKING:  # the models take a moment to import, which a wrong flag need not cost
    from dittoinfra.dittofs import Login
    from dittoinfra.setup.api_users import UserPrompts
    from dittoinfra.setup.questionnaire import SetupAnswers
    from dittoinfra.setup.stack_template import NewServer


@dataclass(frozen=True, slots=True)
class InitAnswers:
    """What the command line and the environment say, and whether anything else can be asked."""

    stack: str | None
    namespace: str | None
    create_namespace: bool
    servers: tuple[str, ...]
    deployed: tuple[str, ...]
    service_type: str | None
    username: str | None
    kubeconfig: str | None
    context: str | None
    terminal: bool
    """Whether the user can be asked."""
    admin: str
    admin_password: str | None = field(repr=False)
    password: str | None = field(repr=False)
    """Of the user that exists already."""
    existing_user: bool
    reset_password: bool
    project_name: str | None = None
    """Of the project that is begun."""
    typed: "Callable[[str], Login | None] | None" = field(default=None, repr=False)
    """Logins by server that the user typed and that were tried already."""

    @property
    def flags(self) -> "SetupAnswers":
        """Answers to questions that came as flags, and are not asked for."""
        answers = {
            "stack": self.stack,
            "namespace": self.namespace,
            "createNamespace": "yes" if self.create_namespace else None,
            "context": self.context,
            "serviceType": self.service_type,
            "username": self.username,
            "login": "existing" if self.existing_user else None,
        }
        return {key: value for key, value in answers.items() if value is not None}

    @property
    def file_flags(self) -> tuple[str, ...]:
        """Flags whose answer is in the stack's file."""
        given = {
            "--namespace": self.namespace,
            "--create-namespace": self.create_namespace,
            "--server": self.servers,
            "--deploy": self.deployed,
            "--service-type": self.service_type,
            "--username": self.username,
            "--kubeconfig": self.kubeconfig,
            "--context": self.context,
        }
        return tuple(flag for flag, value in given.items() if value)

    @property
    def asks_again(self) -> bool:
        """Whether the user can type another login where one is refused."""
        return self.terminal and not self.existing_user and self.admin_password is None

    def administrator(self, server: str) -> "Login | None":
        """An administrator's login at a server, used once; None where there is none."""
        from pydantic import SecretStr

        from dittoinfra.dittofs.users import administrators_login

        if self.existing_user:
            return None
        if self.admin_password is not None:
            return administrators_login(self.admin, SecretStr(self.admin_password))
        if self.typed is not None and (login := self.typed(server)) is not None:
            return login
        return self.typed_administrator(server) if self.terminal else None

    def typed_administrator(self, server: str) -> "Login | None":
        """An administrator's login that is typed now, even where one was given before; None to give up."""
        from pydantic import SecretStr

        from dittoinfra.dittofs.users import administrators_login

        say(f"{server}: an administrator makes the user; the login is used once and not stored")
        name = typer.prompt("  administrator", default=self.admin, err=True)
        password = typer.prompt(
            "  password (empty: give up)", default="", show_default=False, hide_input=True, err=True
        )
        return administrators_login(name, SecretStr(password)) if password else None

    def known_password(self, server: str) -> str:
        """The password of a user that exists already."""
        if self.password:
            return self.password
        if self.typed is not None and (login := self.typed(server)) is not None:
            return login.password.get_secret_value()
        if not self.terminal:
            raise UsageError("--existing-user: its password is missing; export it as DITTOFS_PASSWORD")
        return str(typer.prompt(f"{server}: password of the user that is there", hide_input=True, err=True))

    def may_set_password(self, server: str, username: str) -> bool:
        """Whether a user that exists already may get a new password."""
        if self.reset_password or not self.terminal:
            return self.reset_password
        question = (
            f"{server}: user {username} already exists and may belong to another stack, whose login would "
            "then stop working. Set a new password?"
        )
        return typer.confirm(question, default=False, err=True)


def user_prompts(given: InitAnswers) -> "UserPrompts":
    """Where logins and permissions come from when a user has to be created."""
    from dittoinfra.setup.api_users import UserPrompts

    another = given.typed_administrator if given.asks_again else None
    return UserPrompts(given.administrator, given.may_set_password, say, another)


def with_logins(given: InitAnswers, typed: "Callable[[str], Login | None]", *, existing: bool) -> InitAnswers:
    """The answers of `init`, with logins that the user types."""
    return replace(given, typed=typed, existing_user=existing)


def flagged_servers(given: InitAnswers) -> "tuple[NewServer, ...]":
    """The servers that flags name, or `CommandError` with all that is wrong with any flag."""
    from dittoinfra.setup import stack_template as valid

    problems: list[str] = []

    def checked(check: "Callable[[str], object]", text: str) -> object:
        try:
            return check(text)
        except valid.InvalidAnswerError as error:
            problems.append(str(error))
            return None

    for check, text in (
        (valid.stack_name, given.stack),
        (valid.namespace, given.namespace),
        (valid.service_type, given.service_type),
    ):
        if text is not None:
            checked(check, text)
    named = [
        *(checked(valid.existing_server, text) for text in given.servers),
        *(checked(valid.deployed_server, text) for text in given.deployed),
    ]
    servers = tuple(server for server in named if isinstance(server, valid.NewServer))
    names = [server.name for server in servers]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        problems.append(f"server {', '.join(twice)} is named twice; names are unique")
    gaps = [] if given.terminal else list(_gaps(given))
    if gaps:
        problems.append(f"not running in a terminal, so these must be given as flags: {'; '.join(gaps)}")
    if problems:
        raise failed_with(problems, ExitCode.CONFIGURATION)
    return servers


def _gaps(given: InitAnswers) -> Iterator[str]:
    """Every missing flag: who writes a pipeline should not find them one by one."""
    if given.stack is None:
        yield "the stack's name (STACK)"
    if given.namespace is None:
        yield "--namespace"
    if not given.servers and not given.deployed:
        yield "--server NAME=URL or --deploy NAME"
    if given.servers and not given.existing_user and given.admin_password is None:
        yield (
            "an administrator's password (DITTOFS_ADMIN_PASSWORD or --admin-password-stdin), "
            "or --existing-user"
        )
    if given.existing_user and given.password is None:
        yield "the user's password (DITTOFS_PASSWORD)"
