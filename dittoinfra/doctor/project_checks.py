"""All checks of a project, in parallel, reported in the same order each time."""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from dittoinfra.changes import count_text
from dittoinfra.decide.server_discovery import discover
from dittoinfra.dittofs import ApiAccess, NotAsked
from dittoinfra.dittofs.examine import Examination, examine
from dittoinfra.dittofs.users import READER
from dittoinfra.doctor.check_result import CheckResult, failed, ok, warning
from dittoinfra.doctor.cluster_checks import check_cluster
from dittoinfra.doctor.installed_versions import check_cli, check_provider, check_sdks, find_provider
from dittoinfra.engine.engine_errors import quoted_output
from dittoinfra.engine.pulumi_cli import Cli
from dittoinfra.engine.server_version import FoundVersion, find_version
from dittoinfra.exitcodes import ExitCode
from dittoinfra.model import Answered, Denied, Outcome, Unreachable
from dittoinfra.program.provider_cluster import ProviderCluster, list_live_servers, server_images
from dittoinfra.settings import ConfigurationError, ServerSettings, effective_servers
from dittoinfra.stacks.backend_stack import BackendStack
from dittoinfra.stacks.cli_process import CliFailedError, CommandLine, cli_failure
from dittoinfra.stacks.interrupted import pending_operations
from dittoinfra.stacks.project import Project
from dittoinfra.stacks.server_access import ServerAccess
from dittoinfra.state import Memory

_STACKS_AT_ONCE = 4
_CHECKS_AT_ONCE = 16

_STATE = "state"
_CONFIGURATION = "configuration"
_SECRETS = "secrets"

_CERTIFICATE_SOON = timedelta(days=21)
"""A certificate that ends within this time is worth a warning: it leaves time to renew it."""
_CLOCK_SKEW = timedelta(minutes=1)
"""A clock that is off by more makes tokens expire at the wrong time."""


@dataclass(frozen=True, slots=True)
class _Backend:
    """A backend that answered, and the stacks of the project that it has."""

    url: str
    stacks: frozenset[str]


def check_project(project: Project, cli: Cli, stacks: Sequence[str]) -> Iterator[CheckResult]:
    """Every check of these stacks and of what they need, each as soon as it is its turn."""
    with (
        ThreadPoolExecutor(_STACKS_AT_ONCE, "doctor") as pool,
        # A stack waits for its checks: in one pool the stacks could leave no thread for their checks.
        ThreadPoolExecutor(_CHECKS_AT_ONCE, "doctor-checks") as checks,
    ):
        provider = checks.submit(find_provider, project.environment)
        backend_check = checks.submit(_check_backend, project)
        yield check_cli(cli)
        yield check_sdks()
        yield from check_provider(provider.result(), project.environment)
        result, backend = backend_check.result()
        yield result
        if backend is None:
            return
        # A check does not create a stack.
        found = [project.stack(name, create=False) for name in stacks]
        for work in [pool.submit(_check_stack, stack, backend, checks) for stack in found]:
            yield from work.result()


def _check_backend(project: Project) -> tuple[CheckResult, _Backend | None]:
    """The backend that the CLI would use here."""
    cli = CommandLine(project.command, project.root, project.environment)
    try:
        stacks = frozenset(project.known_stacks())
        url = str(json.loads(cli.ask("whoami", "--json")).get("url", ""))
    except CliFailedError as error:
        step = "check PULUMI_BACKEND_URL, or log in with `pulumi login`"
        return failed("backend", str(error), step, error.exit_code), None
    count = count_text(len(stacks), "stack")
    told = f"{quoted_output(url)} answers, and has {count} of this project"
    return ok("backend", told), _Backend(url, stacks)


def _check_stack(stack: BackendStack, backend: _Backend, pool: ThreadPoolExecutor) -> list[CheckResult]:
    """Everything about one stack; independent checks run in parallel."""
    try:
        results = _stack_results(stack, backend, pool)
    except Exception as error:  # noqa: BLE001 - one broken check must not hide those of other stacks
        results = [failed(_STATE, f"this check broke ({type(error).__name__})", "please report it")]
    return [result.of_stack(stack.name) for result in results]


def _stack_results(stack: BackendStack, backend: _Backend, pool: ThreadPoolExecutor) -> list[CheckResult]:
    if stack.name not in backend.stacks:
        step = f"`dittoinfra init {stack.name}` or its first `dittoinfra up` creates it"
        return [warning(_STATE, "the backend does not know this stack yet", step)]
    state = pool.submit(_check_state, stack, backend.url)
    configured, server_access = _check_configuration(stack)
    if server_access is None:
        return [*configured, state.result()]
    try:
        server_access.needed()
    except ConfigurationError as error:
        return [*configured, state.result(), *_problems(error)]
    checks = [
        pool.submit(check_cluster, server_access),
        *(
            pool.submit(_check_server, stack.name, server, server_access)
            for server in _servers_now(server_access)
        ),
    ]
    return [*configured, state.result(), *(result for check in checks for result in check.result())]


def _check_state(stack: BackendStack, backend_url: str) -> CheckResult:
    try:
        deployment = stack.export()
    except CliFailedError as error:
        return _cli_failure(_STATE, stack.name, error, "check the backend with `pulumi stack export`")
    holder = stack.lock_holder(backend_url)
    if holder is not None:
        release = f"release it: `pulumi cancel --stack {stack.name}`"
        if holder.ended:
            step = f"`dittoinfra up {stack.name} --break-lock`, or {release}"
            return failed(_STATE, f"locked by {holder}, which has ended", step)
        step = f"wait for that run to end or, if it is dead, {release}"
        return failed(_STATE, f"locked by {holder}", step)
    pending = [operation.name for operation in pending_operations(deployment)]
    if pending:
        text = f"an earlier run was interrupted at {', '.join(pending)}"
        return warning(_STATE, text, f"`dittoinfra up {stack.name}` checks and completes it")
    return ok(_STATE, f"{len(deployment.get('resources') or ())} resources, no operation pending")


def _check_configuration(stack: BackendStack) -> tuple[list[CheckResult], ServerAccess | None]:
    try:
        configuration = stack.configuration()
        stack.prove_encryption()
    except CliFailedError as error:
        step = "set PULUMI_CONFIG_PASSPHRASE to the stack's passphrase"
        return [_cli_failure(_SECRETS, stack.name, error, step)], None
    secrets = ok(_SECRETS, "can be read and written")
    try:
        settings = configuration.settings()
    except ConfigurationError as error:
        return [secrets, *_problems(error)], None
    valid = ok(_CONFIGURATION, f"valid, {count_text(len(settings.servers), 'server')}")
    return [secrets, valid], ServerAccess(configuration, settings, stack.environment)


def _problems(error: ConfigurationError) -> list[CheckResult]:
    step = "correct it; docs/configuration.md has every key"
    return [failed(_CONFIGURATION, str(p), step, ExitCode.CONFIGURATION) for p in error.problems]


def _cli_failure(check: str, stack: str, error: CliFailedError, step: str) -> CheckResult:
    found = cli_failure(stack, error)
    return failed(check, found.line, step, found.exit_code)


def _servers_now(access: ServerAccess) -> tuple[ServerSettings, ...]:
    """Every configured server, and those that the cluster lists now."""
    cluster = ProviderCluster.of(access.configuration, access.environment)
    listings = list_live_servers(access.settings, cluster)
    return effective_servers(access.settings, discover(access.settings, Memory(), listings).polled)


def _check_server(stack: str, server: ServerSettings, server_access: ServerAccess) -> list[CheckResult]:
    check, access = f"API {server.name}", server_access.to_all([server])[server.name]
    if isinstance(access, NotAsked):
        results = [warning(check, access.cause, access.next_step)]
        outcome: Outcome = Unreachable(access.cause)
    else:
        examined = examine(access)
        results = [*judge(stack, check, access, examined, datetime.now(UTC))]
        outcome = examined.outcome
    return [*results, _check_server_version(server, server_access, outcome)]


def _check_server_version(server: ServerSettings, access: ServerAccess, outcome: Outcome) -> CheckResult:
    cluster = ProviderCluster.of(access.configuration, access.environment)
    image = server_images(cluster, [server])[server.name]
    return judge_version(server.name, find_version(image, outcome))


def judge_version(server: str, found: FoundVersion) -> CheckResult:
    """Which DittoFS a server runs, and what is wrong with that. Pure."""
    check = f"DittoFS {server}"
    if found.trouble is None:
        return ok(check, str(found))
    return warning(check, f"{found}: {found.trouble.cause}", found.trouble.next_step)


def judge(
    stack: str, check: str, access: ApiAccess, examined: Examination, now: datetime
) -> Iterator[CheckResult]:
    """An API's login, certificate and clock, from its examination. Pure."""
    match examined.outcome:
        case Answered(adapters):
            user = f" as role {examined.role}" if examined.role else ""
            yield ok(check, f"{access.url} answers{user}: {len(adapters)} adapters")
        case unanswered:
            code = ExitCode.AUTHENTICATION if isinstance(unanswered, Denied) else ExitCode.GENERIC
            yield failed(check, unanswered.cause, unanswered.next_step or "check the server", code)
            return
    if examined.role not in (None, READER):
        yield warning(
            check,
            f"the login has the role {examined.role}, and `{READER}` would be enough",
            f"make a user of its own with `dittoinfra init {stack}`, and name it in api.username",
        )
    end = examined.certificate_end
    if end is not None and end - now < _CERTIFICATE_SOON:
        text = f"its TLS certificate ends on {end:%Y-%m-%d}, in {max((end - now).days, 0)} days"
        yield warning(check, text, "renew it")
    if examined.clock_ahead is not None and abs(examined.clock_ahead) > _CLOCK_SKEW:
        seconds = int(examined.clock_ahead.total_seconds())
        where = "ahead of" if seconds > 0 else "behind"
        text = f"the server's clock is {abs(seconds)} s {where} ours"
        yield warning(check, text, "set both clocks by the network")
