"""`dittoinfra init`: a guided new stack."""

import os
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dittoinfra.cli.errors import CommandError
from dittoinfra.cli.new_stack import Answers, Person, wishes_from
from dittoinfra.cli.one_stack import cli_trouble
from dittoinfra.cli.project import project_at_hand
from dittoinfra.exitcodes import ExitCode

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from dittoinfra.automation import ProjectStack
    from dittoinfra.setup.making import Made
    from dittoinfra.setup.readers import ReaderState

ADMIN_PASSWORD_ENV = "DITTOFS_ADMIN_PASSWORD"  # noqa: S105 - the variable's name, not what is in it
PASSWORD_ENV = "DITTOFS_PASSWORD"  # noqa: S105 - likewise


def init(
    context: typer.Context,
    stack: Annotated[
        str | None, typer.Argument(metavar="STACK", help="Name of the stack.", show_default=False)
    ] = None,
    namespace: Annotated[
        str | None, typer.Option("--namespace", "-n", help="Kubernetes namespace of the servers.")
    ] = None,
    server: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=URL", help="A server that exists already. May be given again."),
    ] = None,
    deploy: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME[=URL]", help="A server that the stack deploys. May be given again."),
    ] = None,
    service_type: Annotated[
        str | None,
        typer.Option(metavar="TYPE", help="How adapters are exposed: LoadBalancer, NodePort or ClusterIP."),
    ] = None,
    username: Annotated[
        str | None, typer.Option(help="The DittoFS user that the stack asks as.", show_default="dittoinfra")
    ] = None,
    kubeconfig: Annotated[
        str | None, typer.Option(metavar="FILE", help="Kubeconfig of the cluster.", show_default=False)
    ] = None,
    kube_context: Annotated[
        str | None, typer.Option("--context", help="Context in the kubeconfig.", show_default=False)
    ] = None,
    admin: Annotated[
        str, typer.Option(help="The administrator who makes that user; used once, stored nowhere.")
    ] = "admin",
    admin_password_stdin: Annotated[
        bool,
        typer.Option(
            "--admin-password-stdin",
            help=f"Read the administrator's password from standard input, not from {ADMIN_PASSWORD_ENV}.",
        ),
    ] = False,
    existing_user: Annotated[
        bool,
        typer.Option(
            "--existing-user",
            help=f"The user is there: store its password, from {PASSWORD_ENV} or asked for.",
        ),
    ] = False,
    reset_password: Annotated[
        bool, typer.Option("--reset-password", help="Give a user that is there already a new password.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", "-j", help="Print one JSON document.")] = False,
) -> None:
    """Make a new stack: its configuration, its secrets, and the DittoFS user that it asks as.

    In a terminal whatever is not given is asked for. Secrets are made up and
    stored encrypted; they are never shown. The user gets the role `user`, which
    may read ports and nothing else; an administrator's login makes it, is used
    once, and is stored nowhere. A file that exists is never overwritten: on a
    stack that has one, `init` goes on with what is missing, so it can be run
    again after anything that went wrong.

    Examples:

      dittoinfra init                      asks everything
      dittoinfra init prod -n files --server media=https://media.example.com:8080
      dittoinfra init lab -n files --deploy media --service-type NodePort
      pass show dittofs | dittoinfra init prod --admin-password-stdin

    The document is described in docs/schemas/init.schema.json.
    """
    person = Person(
        terminal=sys.stdin.isatty() and not admin_password_stdin and not as_json,
        admin=admin,
        admin_password=_admin_password(from_stdin=admin_password_stdin),
        password=os.environ.get(PASSWORD_ENV) if existing_user else None,
        existing_user=existing_user,
        reset_password=reset_password,
    )
    answers = Answers(
        stack,
        namespace,
        tuple(server or ()),
        tuple(deploy or ()),
        service_type,
        username,
        kubeconfig,
        kube_context,
    )
    project = project_at_hand(context)
    name, path, new = _file(project.root, answers, person)
    shown = os.path.relpath(path)
    made = _made(project.stack(name), person, shown)
    readers = _readers(project.stack(name), made, person, new=new)
    _report(name, shown, new, made, readers, as_json=as_json)


def _admin_password(*, from_stdin: bool) -> str | None:
    if not from_stdin:
        return os.environ.get(ADMIN_PASSWORD_ENV) or None
    given = sys.stdin.readline().rstrip("\r\n")
    if not given:
        raise CommandError(
            "--admin-password-stdin: there is no password on standard input", ExitCode.CONFIGURATION
        )
    return given


def _file(root: Path, answers: Answers, person: Person) -> tuple[str, Path, bool]:
    """The stack's name and file, and whether the file is new."""
    from dittoinfra.projectfile import stack_file
    from dittoinfra.setup.making import StackFileExistsError, write_stack_file
    from dittoinfra.setup.stackfile import stack_yaml
    from dittoinfra.setup.wishes import WishRefusedError, stack_name

    try:
        name = stack_name(answers.stack) if answers.stack is not None else None
        path = stack_file(root, name) if name is not None else None
        if name is not None and path is not None and path.exists():
            if answers.about_the_file:
                raise CommandError(
                    f"{os.path.relpath(path)} exists already, and is not overwritten: edit it, and drop "
                    f"{', '.join(answers.about_the_file)}; `dittoinfra init {name}` goes on with what is "
                    "missing",
                    ExitCode.CONFIGURATION,
                )
            return name, path, False
        wishes = wishes_from(answers, person)
        path = stack_file(root, wishes.stack)
        write_stack_file(path, stack_yaml(wishes))
    except (WishRefusedError, StackFileExistsError) as error:
        raise CommandError(str(error), ExitCode.CONFIGURATION) from None
    except OSError as error:
        raise CommandError(f"{error.filename} cannot be written: {error.strerror}") from None
    _say(f"written: {os.path.relpath(path)}")
    return wishes.stack, path, True


def _made(stack: "ProjectStack", person: Person, shown: str) -> "Made":
    from dittoinfra.automation import CliFailedError
    from dittoinfra.settings import ConfigurationError
    from dittoinfra.setup.making import store_secrets

    again = f"run `dittoinfra init {stack.name}` again to go on"
    try:
        return store_secrets(stack, _given(stack, person), _say)
    except CliFailedError as error:
        why = cli_trouble(stack.name, error)
        raise CommandError(f"{why}; {shown} is kept: {again}", why.exit_code) from None
    except ConfigurationError as error:
        for problem in error.problems:
            typer.echo(f"error: {problem}", err=True)
        raise CommandError(
            f"{shown} cannot be used yet: mend it, and {again}", ExitCode.CONFIGURATION
        ) from None


def _given(stack: "ProjectStack", person: Person) -> Mapping[str, str]:
    """Passwords that somebody knows already, by the path where they are stored."""
    if not person.existing_user:
        return {}
    from dittoinfra.setup.secrets import missing_secrets

    prefix = "dittoinfra:passwords."
    missing = missing_secrets(stack.configuration().values)
    return {
        path: person.known_password(path.removeprefix(prefix)) for path in missing if path.startswith(prefix)
    }


def _readers(stack: "ProjectStack", made: "Made", person: Person, *, new: bool) -> "tuple[ReaderState, ...]":
    from dittoinfra.automation.reach import Reach
    from dittoinfra.settings import ConfigurationError
    from dittoinfra.setup.readers import Helpers, ensure_reader

    reach = Reach.of(stack, made.configuration, made.settings)
    helpers = Helpers(person.administrator, person.may_set_password, _say)
    secrets = made.settings.server_secrets
    try:
        return tuple(
            ensure_reader(server, partial(reach.to, server.name), secrets.get(server.name), helpers, new=new)
            for server in reach.servers
        )
    except ConfigurationError as error:
        for problem in error.problems:
            typer.echo(f"error: {problem}", err=True)
        raise CommandError(
            f"the servers cannot be asked yet: mend that, and run `dittoinfra init {stack.name}` again",
            ExitCode.CONFIGURATION,
        ) from None


def _report(
    name: str, shown: str, new: bool, made: "Made", readers: "tuple[ReaderState, ...]", *, as_json: bool
) -> None:
    from dittoinfra.setup.documents import InitDocument, InitUser
    from dittoinfra.setup.readers import next_steps

    steps = tuple(next_steps(name, readers))
    failed = [reader for reader in readers if reader.state == "failed"]
    if as_json:
        users = tuple(
            InitUser(server=r.server, username=r.username, state=r.state, text=r.text) for r in readers
        )
        document = InitDocument(
            stack=name, file=shown, file_written=new, secrets=made.secrets, users=users, next=steps
        )
        typer.echo(document.model_dump_json(indent=2))
    for reader in readers:
        if reader.state == "failed":
            typer.echo(f"error: {reader.server}: {reader.text}", err=True)
        elif not as_json:
            typer.echo(f"{reader.server}: {reader.text}")
    if failed:
        raise CommandError(
            f"stack {name} is made, but {_count(len(failed), 'server')} cannot be asked yet: mend that, and "
            f"run `dittoinfra init {name}` again to go on",
            ExitCode.AUTHENTICATION if all(reader.denied for reader in failed) else 1,
        )
    if not as_json:
        typer.echo(f"stack {name} is ready; go on with:")
        for step in steps:
            typer.echo(f"  {step}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number > 1 else ''}"


def _say(line: str) -> None:
    typer.echo(line, err=True)
