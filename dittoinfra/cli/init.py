"""`dittoinfra init`: a guided new stack."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dittoinfra.changes import count_text
from dittoinfra.cli import options
from dittoinfra.cli.command_errors import CommandError, UsageError, failed_cli, failed_with
from dittoinfra.cli.console import say
from dittoinfra.cli.init_questions import InitAnswers, flagged_servers, user_prompts
from dittoinfra.cli.init_terminal import guided_stack
from dittoinfra.cli.stack_lookup import find_engine, project_with, root_of_new_stack
from dittoinfra.exitcodes import ExitCode
from dittoinfra.stacks.backend_stack import BackendStack
from dittoinfra.stacks.cli_process import CliFailedError, CommandLine
from dittoinfra.stacks.project import Project

if TYPE_CHECKING:  # models take a fifth of a second to import, which a wrong flag need not cost
    from dittoinfra.setup.api_users import UserState
    from dittoinfra.setup.stack_template import NewStack
    from dittoinfra.stacks.server_access import ServerAccess

ADMIN_PASSWORD_ENV = "DITTOFS_ADMIN_PASSWORD"  # noqa: S105 - the variable's name, not what is in it
PASSWORD_ENV = "DITTOFS_PASSWORD"  # noqa: S105 - likewise


def init(
    context: typer.Context,
    stack: Annotated[
        str | None, typer.Argument(metavar="STACK", help="Name of the stack.", show_default=False)
    ] = None,
    namespace: Annotated[
        str | None,
        typer.Option("--namespace", "-n", metavar="NAME", help="Kubernetes namespace of the servers."),
    ] = None,
    create_namespace: Annotated[
        bool, typer.Option("--create-namespace", help="Make the namespace if it does not exist.")
    ] = False,
    server: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=URL]",
            help="A server that exists already; without an address it is asked through the cluster. "
            "May be given again.",
        ),
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
        str | None,
        typer.Option(
            metavar="NAME", help="The DittoFS user that the stack asks as.", show_default="dittoinfra-STACK"
        ),
    ] = None,
    project_name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Name of the project that is begun in an empty folder.",
            show_default="the folder's name",
        ),
    ] = None,
    kubeconfig: Annotated[
        str | None, typer.Option(metavar="FILE", help="Kubeconfig of the cluster.", show_default=False)
    ] = None,
    kube_context: Annotated[
        str | None,
        typer.Option("--context", metavar="NAME", help="Context in the kubeconfig.", show_default=False),
    ] = None,
    admin: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="The administrator who makes that user; used once, stored nowhere."
        ),
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
    as_json: options.Json = False,
) -> None:
    """Make a new stack: its configuration, its secrets, and the DittoFS user that it asks as.

    In an empty folder it begins the project first, named after the folder:
    Pulumi.yaml, __main__.py, requirements.txt and stacks/.

    In a terminal whatever is not given is asked for: contexts, namespaces and
    servers that are found are offered, each answer is checked when it is typed,
    and `<` goes back one question. Without a terminal nothing is asked, and all
    that is missing is named at once.

    Secrets are made up and stored encrypted; they are never shown. The user is
    the stack's own and gets the role `user`, which may read ports and nothing
    else; an administrator's login makes it, is used once, and is stored nowhere.
    A file that exists is never overwritten: on a stack that has one, `init` goes
    on with what is missing, so it can be run again after anything that went wrong.

    Examples:

      dittoinfra init                      asks everything
      dittoinfra init prod -n files --server media=https://media.example.com:8080
      dittoinfra init lab -n files --create-namespace --deploy media
      pass show dittofs | dittoinfra init prod --admin-password-stdin

    The document is described in docs/schemas/init.schema.json.
    """
    given = InitAnswers(
        stack=stack,
        namespace=namespace,
        create_namespace=create_namespace,
        servers=tuple(server or ()),
        deployed=tuple(deploy or ()),
        service_type=service_type,
        username=username,
        kubeconfig=kubeconfig,
        context=kube_context,
        terminal=sys.stdin.isatty() and not admin_password_stdin and not as_json,
        admin=admin,
        admin_password=_admin_password(from_stdin=admin_password_stdin),
        password=os.environ.get(PASSWORD_ENV) if existing_user else None,
        existing_user=existing_user,
        reset_password=reset_password,
        project_name=project_name,
    )
    project = project_with(root_of_new_stack(context), find_engine())
    begun = _begin(project, given)
    access, stored = _configured(project.stack(begun.name), begun.given, begun.file)
    users = _ensure_users(begun.name, access, begun.given, new=begun.new)
    _show(begun.name, begun.file, begun.new, stored, users, as_json=as_json)


def _admin_password(*, from_stdin: bool) -> str | None:
    if not from_stdin:
        return os.environ.get(ADMIN_PASSWORD_ENV) or None
    given = sys.stdin.readline().rstrip("\r\n")
    if not given:
        raise UsageError("--admin-password-stdin: there is no password on standard input")
    return given


@dataclass(frozen=True, slots=True)
class _Begun:
    """A stack that has a file."""

    name: str
    file: str
    """As people see it."""
    new: bool
    given: InitAnswers
    """What was given, and what was typed."""


def _begin(project: Project, given: InitAnswers) -> _Begun:
    """The stack's file: the one that is there, or a new one."""
    from dittoinfra.projectfile import configured_stacks, stack_file
    from dittoinfra.setup.draft import Draft
    from dittoinfra.setup.guided_start import new_stack
    from dittoinfra.setup.stack_template import (
        InvalidAnswerError,
        StackFileExistsError,
        stack_yaml,
        write_stack_file,
    )

    root, name = project.root, _project_name(project, given.project_name)
    taken = configured_stacks(root)
    if given.stack in taken:
        return _existing(root, name, given.stack, given)
    servers = flagged_servers(given)
    check_stack = _stack_check(project, name, taken)
    made: NewStack | str = ""
    try:
        if given.stack is not None:
            check_stack(given.stack)
        if given.terminal:
            made, given = guided_stack(given, servers, root, taken, check_stack)
        else:
            made = new_stack(given.flags, servers, given.kubeconfig)
        if isinstance(made, str):
            return _existing(root, name, made, given)
        check_stack(made.stack)  # the draft of an earlier attempt may have named it
    except InvalidAnswerError as error:
        raise UsageError(f"{error}; nothing was written") from None
    path = stack_file(root, made.stack)
    _make_namespace(made)
    try:
        _begin_project(root, name)
        write_stack_file(path, stack_yaml(made))
    except StackFileExistsError as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise _unwritable(error) from None
    Draft(path.parent).discard()
    say(f"written: {os.path.relpath(path)}")
    return _Begun(made.stack, os.path.relpath(path), new=True, given=given)


def _existing(root: Path, project: str, stack: str, given: InitAnswers) -> _Begun:
    from dittoinfra.projectfile import stack_file

    file = os.path.relpath(stack_file(root, stack))
    if given.file_flags:
        raise UsageError(
            f"{file} exists already, and is not overwritten: edit it, and drop "
            f"{', '.join(given.file_flags)}; `dittoinfra init {stack}` goes on with what is missing"
        )
    _begin_project(root, project)
    return _Begun(stack, file, new=False, given=given)


def _project_name(project: Project, wanted: str | None) -> str:
    """The project's name, also of one that is not begun yet."""
    from dittoinfra.projectfile import has_project
    from dittoinfra.setup.new_project import project_name, valid_project_name

    if not has_project(project.root):
        try:
            return project_name(project.root) if wanted is None else valid_project_name(wanted)
        except ValueError as error:
            raise UsageError(str(error)) from None
    if wanted in (None, project.name):
        return project.name
    raise UsageError(
        f"--project-name {wanted}: the project in {project.root} is called {project.name}; drop the flag, or "
        "begin another project in an empty folder"
    )


def _stack_check(project: Project, name: str, taken: tuple[str, ...]) -> Callable[[str], str]:
    """What makes the name of a new stack right; `CommandError` where the backend could not keep any."""
    from dittoinfra.setup.backend_checks import free_stack_name, held_stacks, passphrase_problem

    if problem := passphrase_problem(project.root, project.environment):
        raise CommandError(f"{problem}; nothing was written", ExitCode.AUTHENTICATION)
    try:
        held = held_stacks(CommandLine(project.command, project.root, project.environment), name)
    except CliFailedError as error:
        raise CommandError(f"{error}; nothing was written", error.exit_code) from None
    return partial(free_stack_name, project=name, held=held, own=taken)


def _make_namespace(made: "NewStack") -> None:
    """Make the namespace of servers that exist already; a stack that deploys one declares it."""
    from dittoinfra.kubernetes import ClusterError
    from dittoinfra.setup.kube_choices import create_namespace, open_cluster

    if not made.create_namespace or any(server.deploy for server in made.servers):
        return
    try:
        with open_cluster(made.kubeconfig or os.environ.get("KUBECONFIG") or None, made.context) as cluster:
            new = create_namespace(cluster, made.namespace)
    except ClusterError as error:
        raise CommandError(
            f"namespace {made.namespace} cannot be made: {error}; nothing was written"
        ) from None
    say(f"namespace {made.namespace}: {'made' if new else 'is there already'}")


def _begin_project(root: Path, name: str) -> None:
    from dittoinfra.projectfile import has_project
    from dittoinfra.setup.new_project import begin_project, package_mode_problem

    if has_project(root):
        return
    try:
        say(f"a new project in {root}: {', '.join(begin_project(root, name))}")
        if problem := package_mode_problem(root):
            say(f"warning: {problem}")
    except OSError as error:
        raise _unwritable(error) from None


def _unwritable(error: OSError) -> CommandError:
    return CommandError(
        f"{error.filename} cannot be written: {error.strerror}; fix that, and run `dittoinfra init` again"
    )


def _configured(stack: BackendStack, given: InitAnswers, file: str) -> "tuple[ServerAccess, tuple[str, ...]]":
    """The configured servers, and the paths of the secrets that this run stored."""
    from dittoinfra.settings import ConfigurationError
    from dittoinfra.setup.stack_secrets import missing_secrets, store_secrets
    from dittoinfra.stacks.server_access import ServerAccess

    again = f"run `dittoinfra init {stack.name}` again to go on"
    try:
        missing = missing_secrets(stack.configuration().values) if given.existing_user else ()
        known = {
            path: given.known_password(str(path.steps[1])) for path in missing if path.steps[0] == "passwords"
        }
        stored = store_secrets(stack, known, say)
        configuration = stack.configuration()
        return ServerAccess(configuration, configuration.settings(), stack.environment), stored
    except CliFailedError as error:
        why = failed_cli(stack.name, error)
        raise CommandError(f"{why}; {file} is kept: {again}", why.exit_code) from None
    except ConfigurationError as error:
        last = f"{file} cannot be used yet: fix it, and {again}"
        raise failed_with([*error.problems, last], ExitCode.CONFIGURATION) from None


def _ensure_users(
    stack: str, access: "ServerAccess", given: InitAnswers, *, new: bool
) -> "tuple[UserState, ...]":
    from dittoinfra.settings import ConfigurationError
    from dittoinfra.setup.api_users import ensure_user

    prompts = user_prompts(given)
    secrets = access.settings.server_secrets
    try:
        return tuple(
            ensure_user(server, partial(access.to, server.name), secrets.get(server.name), prompts, new=new)
            for server in access.servers
        )
    except ConfigurationError as error:
        last = f"the servers cannot be asked yet: fix that, and run `dittoinfra init {stack}` again"
        raise failed_with([*error.problems, last], ExitCode.CONFIGURATION) from None


def _show(
    name: str, file: str, new: bool, stored: tuple[str, ...], users: "tuple[UserState, ...]", *, as_json: bool
) -> None:
    from dittoinfra.setup.api_users import next_steps
    from dittoinfra.setup.setup_documents import InitDocument

    steps = tuple(next_steps(name, users))
    if as_json:
        document = InitDocument(
            stack=name, file=file, file_written=new, secrets=stored, users=users, next=steps
        )
        typer.echo(document.model_dump_json(indent=2))
    for user in users:
        if user.state == "failed":
            say(f"error: {user.server}: {user.text}")
        elif not as_json:
            typer.echo(f"{user.server}: {user.text}")
    failed = [user for user in users if user.state == "failed"]
    if failed:
        servers = count_text(len(failed), "server")
        raise CommandError(
            f"stack {name} is made, but {servers} cannot be asked yet: fix that, and "
            f"run `dittoinfra init {name}` again to go on",
            ExitCode.AUTHENTICATION if all(user.denied for user in failed) else 1,
        )
    if not as_json:
        typer.echo("\n  ".join([f"stack {name} is ready; go on with:", *steps]))
