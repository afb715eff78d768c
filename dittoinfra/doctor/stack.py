"""One stack: its place in the backend, its secrets, its configuration, its state, and what it reaches."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from dittoinfra.automation import CliFailedError, ProjectStack
from dittoinfra.automation.configuration import Configuration
from dittoinfra.automation.reach import Reach
from dittoinfra.automation.trouble import trouble
from dittoinfra.doctor.backend import Backend, lock_of
from dittoinfra.doctor.cluster import check_cluster
from dittoinfra.doctor.line import Line, failed, ok, warning
from dittoinfra.doctor.servers import check_server
from dittoinfra.exitcodes import ExitCode
from dittoinfra.settings import ConfigurationError, StackSettings

STATE = "state"
CONFIG = "configuration"
SECRETS = "secrets"

_Check = Callable[[], list[Line]]


def check_stack(stack: ProjectStack, backend: Backend, pool: ThreadPoolExecutor) -> list[Line]:
    """Everything about one stack; what does not hang on each other is looked at side by side."""
    if stack.name not in backend.stacks:
        step = f"`dittoinfra init {stack.name}` or its first `dittoinfra up` creates it"
        return [warning(STATE, "the backend does not know this stack yet", step, stack.name)]
    state = pool.submit(_state, stack, backend.url)
    configured = _configuration(stack)
    if isinstance(configured, list):
        return [*configured, *state.result()]
    configuration, settings, lines = configured
    checks = [pool.submit(check) for check in _beyond(stack.name, Reach.of(stack, configuration, settings))]
    return [*lines, *state.result(), *(line for check in checks for line in check.result())]


def _state(stack: ProjectStack, backend: str) -> list[Line]:
    try:
        deployment = stack.export()
    except CliFailedError as error:
        return [_refused(STATE, stack.name, error, "check the backend with `pulumi stack export`")]
    resources = len(deployment.get("resources") or ())
    if (lock := lock_of(backend, stack.name)) is not None:
        release = f"release it: `pulumi cancel --stack {stack.name}`"
        if lock.gone:
            text = f"locked by {lock.holder}, which has ended"
            return [
                failed(STATE, text, f"`dittoinfra up {stack.name} --break-lock`, or {release}", stack.name)
            ]
        step = f"wait for that run to end or, if it is dead, {release}"
        return [failed(STATE, f"locked by {lock.holder}", step, stack.name)]
    pending = [_urn(operation) for operation in deployment.get("pending_operations") or ()]
    if not pending:
        return [ok(STATE, f"{resources} resources, no operation pending", stack.name)]
    text = f"an earlier run was interrupted at {', '.join(pending)}"
    return [warning(STATE, text, f"`dittoinfra up {stack.name}` makes sure of it", stack.name)]


def _urn(operation: Mapping[str, Any]) -> str:
    return str((operation.get("resource") or {}).get("urn", "")).rpartition("::")[2] or "a resource"


def _configuration(stack: ProjectStack) -> "list[Line] | tuple[Configuration, StackSettings, list[Line]]":
    try:
        configuration = stack.configuration()
        stack.prove_encryption()
    except CliFailedError as error:
        step = "set PULUMI_CONFIG_PASSPHRASE to the stack's passphrase"
        return [_refused(SECRETS, stack.name, error, step)]
    secrets = ok(SECRETS, "can be read and written", stack.name)
    try:
        settings = configuration.settings()
    except ConfigurationError as error:
        return [secrets, *_problems(stack.name, error)]
    count = len(settings.servers)
    valid = ok(CONFIG, f"valid, {count} server{'' if count == 1 else 's'}", stack.name)
    return configuration, settings, [secrets, valid]


def _problems(stack: str, error: ConfigurationError) -> Iterator[Line]:
    for problem in error.problems:
        yield failed(
            CONFIG,
            str(problem),
            "mend it; docs/configuration.md has every key",
            stack,
            ExitCode.CONFIGURATION,
        )


def _beyond(stack: str, reach: Reach) -> Iterator[_Check]:
    try:
        reach.needed()
    except ConfigurationError as error:
        problems = list(_problems(stack, error))
        yield lambda: problems
        return
    yield partial(check_cluster, stack, reach)
    for server in reach.servers:
        yield partial(check_server, stack, server.name, reach)


def _refused(check: str, stack: str, error: CliFailedError, step: str) -> Line:
    found = trouble(stack, f"error: {error}", error.exit_code)
    text, code = (found.line, found.exit_code) if found else (str(error), error.exit_code)
    return failed(check, text, step, stack, code)


def unexpected(stack: str, work: "Future[list[Line]]") -> list[Line]:
    """What a check found, or that it broke: one broken check must not hide the others."""
    try:
        return work.result()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told
        return [failed(STATE, f"this check broke ({type(error).__name__})", "please report it", stack)]
