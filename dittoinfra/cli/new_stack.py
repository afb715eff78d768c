"""What a person says about a new stack: by flags, by the environment, or asked in a terminal."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import typer

from dittoinfra.cli.errors import CommandError
from dittoinfra.exitcodes import ExitCode

if TYPE_CHECKING:  # the models take a moment to import, which a wrong flag need not cost
    from dittoinfra.dittofs import Login
    from dittoinfra.setup.wishes import ServerWish, ServiceType, Wishes


_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Answers:
    """What was given on the command line."""

    stack: str | None
    namespace: str | None
    servers: tuple[str, ...]
    deployed: tuple[str, ...]
    service_type: str | None
    username: str | None
    kubeconfig: str | None
    context: str | None

    @property
    def about_the_file(self) -> tuple[str, ...]:
        """Flags whose answer stands in the stack's file."""
        given = {
            "--namespace": self.namespace,
            "--server": self.servers,
            "--deploy": self.deployed,
            "--service-type": self.service_type,
            "--username": self.username,
            "--kubeconfig": self.kubeconfig,
            "--context": self.context,
        }
        return tuple(flag for flag, value in given.items() if value)


@dataclass(frozen=True, slots=True)
class Person:
    """Whoever runs the command: what can be asked, and what is known of their logins."""

    terminal: bool
    admin: str
    admin_password: str | None = field(repr=False)
    password: str | None = field(repr=False)
    existing_user: bool
    reset_password: bool

    def administrator(self, server: str) -> "Login | None":
        """An administrator's login at a server, used once."""
        from pydantic import SecretStr

        from dittoinfra.dittofs.users import administrators_login

        if self.existing_user:
            return None
        if self.admin_password is not None:
            return administrators_login(self.admin, SecretStr(self.admin_password))
        if not self.terminal:
            return None
        typer.echo(
            f"{server}: an administrator makes the user; the login is used once and not stored", err=True
        )
        name = typer.prompt("  administrator", default=self.admin, err=True)
        password = typer.prompt("  password", hide_input=True, err=True)
        return administrators_login(name, SecretStr(password))

    def known_password(self, server: str) -> str:
        """The password of a user that is there already."""
        if self.password:
            return self.password
        if not self.terminal:
            raise CommandError(
                "--existing-user: its password is missing; export it as DITTOFS_PASSWORD",
                ExitCode.CONFIGURATION,
            )
        return str(typer.prompt(f"{server}: password of the user that is there", hide_input=True, err=True))

    def may_set_password(self, server: str, username: str) -> bool:
        """Whether a user who is there may get a new password."""
        if self.reset_password or not self.terminal:
            return self.reset_password
        question = f"{server}: user {username} exists already; give it a new password?"
        return typer.confirm(question, default=False, err=True)


def wishes_from(answers: Answers, person: Person) -> "Wishes":
    """What goes into the file; `WishRefusedError` or `CommandError` where that cannot be told."""
    from dittoinfra.setup import wishes as valid

    if not person.terminal:
        _refuse_gaps(answers, person)
    stack = answers.stack or _asked("stack", valid.stack_name)
    namespace = (
        valid.namespace(answers.namespace) if answers.namespace else _asked("namespace", valid.namespace)
    )
    servers = tuple(map(valid.existing_server, answers.servers)) + tuple(
        map(valid.deployed_server, answers.deployed)
    )
    _refuse_twice([server.name for server in servers])
    return valid.Wishes(
        stack=valid.stack_name(stack),
        namespace=namespace,
        servers=servers or tuple(_asked_servers()),
        service_type=_service_type(answers, person),
        username=answers.username or valid.USUAL_USERNAME,
        kubeconfig=answers.kubeconfig,
        context=answers.context if answers.context or not person.terminal else _asked_context(),
    )


def _refuse_twice(names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise CommandError(
            f"server {', '.join(twice)} is named twice; names are unique", ExitCode.CONFIGURATION
        )


def _refuse_gaps(answers: Answers, person: Person) -> None:
    """Every missing flag at once: whoever writes a pipeline should not find them one by one."""
    gaps = list(_gaps(answers, person))
    if gaps:
        raise CommandError(
            f"this is no terminal to ask in, so these are missing: {'; '.join(gaps)}", ExitCode.CONFIGURATION
        )


def _gaps(answers: Answers, person: Person) -> Iterator[str]:
    if answers.stack is None:
        yield "the stack's name (STACK)"
    if answers.namespace is None:
        yield "--namespace"
    if not answers.servers and not answers.deployed:
        yield "--server NAME=URL or --deploy NAME"
    if answers.servers and not person.existing_user and person.admin_password is None:
        yield (
            "an administrator's password (DITTOFS_ADMIN_PASSWORD or --admin-password-stdin), "
            "or --existing-user"
        )
    if person.existing_user and person.password is None:
        yield "the user's password (DITTOFS_PASSWORD)"


def _service_type(answers: Answers, person: Person) -> "ServiceType":
    from dittoinfra.setup.wishes import SERVICE_TYPES, USUAL_SERVICE_TYPE, WishRefusedError

    def valid(text: str) -> "ServiceType":
        for known in SERVICE_TYPES:
            if text.lower() == known.lower():
                return known
        raise WishRefusedError(f"service type {text!r} must be one of {', '.join(SERVICE_TYPES)}")

    if answers.service_type is not None:
        return valid(answers.service_type)
    if not person.terminal:
        return USUAL_SERVICE_TYPE
    return _asked(f"Service type ({', '.join(SERVICE_TYPES)})", valid, default=USUAL_SERVICE_TYPE)


def _asked_servers() -> "Iterator[ServerWish]":
    from dittoinfra.setup.wishes import ServerWish, api_url, server_name

    more = True
    while more:
        name = _asked("server's name", server_name)
        deploy = not typer.confirm(f"does {name} exist already?", default=True, err=True)
        url = None if deploy else _asked(f"address of {name}'s API (https://…)", api_url)
        yield ServerWish(name, url, deploy)
        more = typer.confirm("another server?", default=False, err=True)


def _asked_context() -> str | None:
    given = str(
        typer.prompt("kubeconfig context (empty: the current one)", default="", show_default=False, err=True)
    )
    return given or None


def _asked(question: str, valid: Callable[[str], _T], default: str | None = None) -> _T:
    """Ask until the answer can be used."""
    from dittoinfra.setup.wishes import WishRefusedError

    while True:
        try:
            return valid(str(typer.prompt(question, default=default, err=True)).strip())
        except WishRefusedError as error:
            typer.echo(f"  {error}", err=True)
