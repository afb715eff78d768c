"""Access to every server's API: directly, or through the provider's cluster."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from anyio.abc import ByteStream

from dittoinfra.dittofs import AccessProblems, ApiAccess, Login, NotAsked, resolve_access
from dittoinfra.dittofs.api_access import ClusterSide, PasswordSource, StoredLogin
from dittoinfra.dittofs.poll_errors import FinalError, RetryableError
from dittoinfra.dittofs.transport import Tunnel
from dittoinfra.kubernetes import Cluster, ClusterError
from dittoinfra.kubernetes.cluster_errors import (
    ForbiddenError,
    NotReadyError,
    SecretUnusableError,
    UnansweredError,
    UnknownUserError,
)
from dittoinfra.kubernetes.objects import read_secret, secret_rule
from dittoinfra.kubernetes.portforward import (
    forward_rules,
    open_port,
    pod_behind,
    pod_rule,
    running_pod,
    slices_rule,
)
from dittoinfra.kubernetes.rbac import ROLE, Rule, role_yaml
from dittoinfra.model import Denied, Note, Unanswered, Unreachable
from dittoinfra.settings import (
    ByPortForward,
    ConfigurationError,
    PasswordSecret,
    Problem,
    ServerSettings,
    StackSettings,
)
from dittoinfra.settings.configuration import Configuration
from dittoinfra.settings.problems import path_of


class ClusterTunnels:
    """Reaches servers through one cluster, and remembers what it was not allowed to do."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._needed: dict[str, set[Rule]] = {}
        self._refused: dict[str, dict[str, str]] = {}

    def retry_credentials(self) -> None:
        """Log in to the cluster again at the next use, where that has failed."""
        self._cluster.retry_credentials()

    def tunnel(self, server: str, endpoint: ByPortForward) -> Tunnel:
        """What opens streams to the API of a server."""
        namespace = endpoint.namespace
        self._need(namespace, _rules_for(endpoint))

        async def open_stream() -> ByteStream:
            with self._judged(server):
                find = running_pod if endpoint.target == "pod" else pod_behind
                pod = await find(self._cluster, namespace, endpoint.name)
                return await open_port(self._cluster, namespace, pod, endpoint.port)

        return open_stream

    def stored_login(self, server: ServerSettings, secret: PasswordSecret) -> StoredLogin:
        """What reads the login of a server."""
        namespace = secret.namespace or server.namespace
        name = server.filled(secret.name)
        self._need(namespace, [secret_rule(name)])
        where = f"key {secret.key} of Secret {name} in namespace {namespace}"
        source = PasswordSource(where, "put the right one there, or correct api.passwordSecret")
        keys = [secret.key, *([secret.username_key] if secret.username_key else [])]

        async def read() -> Login:
            with self._judged(server.name):
                found = await read_secret(self._cluster, namespace, name, keys)
            user = found[secret.username_key].get_secret_value() if secret.username_key else None
            return Login(user or server.api.username, found[secret.key], source)

        return read

    @property
    def needed(self) -> Mapping[str, frozenset[Rule]]:
        """What has to be allowed in each namespace."""
        return {namespace: frozenset(rules) for namespace, rules in self._needed.items()}

    def notes(self) -> tuple[Note, ...]:
        """For each namespace that refused something: the Role that would allow all that is needed in it."""
        return tuple(
            Note(", ".join(sorted(refused)), _how_to_allow(namespace, refused, self._needed[namespace]))
            for namespace, refused in sorted(self._refused.items())
        )

    def _need(self, namespace: str, rules: Iterable[Rule]) -> None:
        self._needed.setdefault(namespace, set()).update(rules)

    @contextmanager
    def _judged(self, server: str) -> Iterator[None]:
        """Turn errors of the cluster into an outcome of the server's poll."""
        try:
            yield
        except ForbiddenError as error:
            self._refused.setdefault(error.namespace, {})[server] = error.who
            self._need(error.namespace, [error.rule])
            step = f"allow it with the Role {ROLE} that this run prints"
            raise FinalError(Denied(error.cause, step)) from None
        except (SecretUnusableError, UnknownUserError) as error:
            raise FinalError(Denied(error.cause, error.next_step)) from None
        except ClusterError as error:
            passing = isinstance(error, NotReadyError | UnansweredError)
            kind = RetryableError if passing else FinalError
            raise kind(Unreachable(error.cause, error.next_step)) from None


def resolve_all(
    servers: Sequence[ServerSettings],
    configuration: Configuration,
    settings: StackSettings,
    environ: Mapping[str, str],
    cluster: ClusterSide | None,
) -> Mapping[str, ApiAccess | NotAsked]:
    """The access to each server by name, or `ConfigurationError` with the file and line of each problem.

    Without a `cluster` no server is reached through one. A user who labels an object so that it is found
    cannot know what the stack lacks for it: a problem with a found server does not stop the run.
    """
    configured = {server.name: index for index, server in enumerate(settings.servers)}
    access: dict[str, ApiAccess | NotAsked] = {}
    problems: list[Problem] = []
    for server in servers:
        index = configured.get(server.name)
        resolved = resolve_access(
            server,
            settings.passwords,
            environ,
            configuration.root,
            cluster=cluster,
            in_cluster=index is None,
            words=configuration.words,
        )
        if not isinstance(resolved, AccessProblems):
            access[server.name] = resolved
        elif index is None:
            access[server.name] = NotAsked("; ".join(map(str, resolved.problems)))
        else:
            problems += [_placed(problem, index) for problem in resolved.problems]
    if problems:
        raise ConfigurationError(configuration.located(problems))
    return access


def resolve_reachable(
    servers: Sequence[ServerSettings],
    configuration: Configuration,
    settings: StackSettings,
    environ: Mapping[str, str],
    cluster: Cluster | None,
) -> tuple[dict[str, ApiAccess], dict[str, Unanswered]]:
    """The access to each server that can be asked, and why the others cannot."""
    try:
        access = resolve_all(
            servers, configuration, settings, environ, ClusterTunnels(cluster) if cluster else None
        )
    except ConfigurationError as error:
        # With the answers of an earlier run this one may have no logins.
        why = "; ".join(map(str, error.problems))
        return {}, {server.name: Unreachable(why) for server in servers}
    asked: dict[str, ApiAccess] = {}
    unasked: dict[str, Unanswered] = {}
    for name, how in access.items():
        if isinstance(how, NotAsked):
            unasked[name] = Unreachable(how.cause, how.next_step)
        else:
            asked[name] = how
    return asked, unasked


def _placed(problem: Problem, index: int) -> Problem:
    if problem.path.namespace:
        return problem
    return Problem(path_of(("servers", index, *problem.path.steps)), problem.message)


def _rules_for(endpoint: ByPortForward) -> Iterator[Rule]:
    if endpoint.target == "pod":
        yield pod_rule(endpoint.name)
        yield from forward_rules(endpoint.name)
    else:
        yield slices_rule()
        yield from forward_rules(None)


def _how_to_allow(namespace: str, refused: Mapping[str, str], needed: Iterable[Rule]) -> str:
    who = ", ".join(sorted(set(refused.values())))
    return (
        f"this Role allows what is needed in namespace {namespace}; apply it and bind it to {who}:\n"
        f"{role_yaml(namespace, needed)}"
    )
