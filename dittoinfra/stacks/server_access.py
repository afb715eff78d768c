"""Access to the APIs of a stack's servers outside of a run, and waiting for servers just deployed."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import count

from dittoinfra.decide.config_file import ADMIN
from dittoinfra.decide.observations import Answers
from dittoinfra.dittofs import ApiAccess, Login, NotAsked, Polling
from dittoinfra.dittofs.users import Created, administrators_login, ensure_reader
from dittoinfra.kubernetes.rbac import Rule
from dittoinfra.model import AlreadyPolled, Answered, Denied, Listing, Outcome, ServerPolls, Unreachable
from dittoinfra.program.cluster_tunnels import ClusterTunnels, resolve_all
from dittoinfra.program.provider_cluster import ProviderCluster
from dittoinfra.program.survey import RunRecord
from dittoinfra.settings import ServerSecrets, ServerSettings, StackSettings, effective_servers
from dittoinfra.settings.configuration import Configuration
from dittoinfra.stacks.cli_process import Processes

_PAUSES = (1.0, 2.0, 3.0, 5.0)
"""Seconds between two polls; the last value repeats. A server takes seconds to start, not milliseconds."""


@dataclass(frozen=True, slots=True)
class ServerAccess:
    """How the servers of one stack are reached outside of a run of its program.

    Access is resolved anew in each call: a tunnel through a cluster belongs to the event loop that uses it
    first.
    """

    configuration: Configuration
    settings: StackSettings
    environment: Mapping[str, str]

    @property
    def servers(self) -> tuple[ServerSettings, ...]:
        """Every configured server, with all layers of settings."""
        return effective_servers(self.settings)

    def to(self, server: str) -> ApiAccess | NotAsked:
        """The access to one of the configured servers, or `ConfigurationError`."""
        return self.to_all(self.servers)[server]

    def to_all(self, servers: Sequence[ServerSettings]) -> Mapping[str, ApiAccess | NotAsked]:
        """The access to these servers by name, or `ConfigurationError`."""
        return self._resolve(servers, self._tunnels())

    def needed(self) -> Mapping[str, frozenset[Rule]]:
        """The permissions that access through the cluster needs, by namespace, or `ConfigurationError`."""
        tunnels = self._tunnels()
        self._resolve(self.servers, tunnels)
        return tunnels.needed if tunnels is not None else {}

    def _resolve(
        self, servers: Sequence[ServerSettings], tunnels: ClusterTunnels | None
    ) -> Mapping[str, ApiAccess | NotAsked]:
        return resolve_all(servers, self.configuration, self.settings, self.environment, tunnels)

    def _tunnels(self) -> ClusterTunnels | None:
        cluster = ProviderCluster.of(self.configuration, self.environment)
        return ClusterTunnels(cluster) if cluster else None


def first_administrator(secrets: ServerSecrets | None) -> Login | None:
    """The administrator of a server that the stack deploys with its own password; None for other servers."""
    if secrets is None or secrets.admin_password is None:
        return None
    return administrators_login(ADMIN, secrets.admin_password)


def just_deployed(first: RunRecord, environ: Mapping[str, str]) -> tuple[ServerSettings, ...]:
    """Servers that the stack itself deploys, that have never answered yet, and that can be polled at all."""
    decided = first.decision.adapters.servers
    new = [
        server
        for server in first.decision.known
        if server.deploy is not None
        and decided[server.name].bootstrap
        # A server that denies the login is already up: waiting does not help, its administrator's login may.
        and (
            not isinstance(decided[server.name].outcome, Denied)
            or first_administrator(first.settings.server_secrets.get(server.name)) is not None
        )
    ]
    if not new or first.configuration.manifests is not None:
        return ()
    access = ServerAccess(first.configuration, first.settings, environ).to_all(new)
    return tuple(server for server in new if isinstance(access[server.name], ApiAccess))


def await_answers(
    first: RunRecord,
    servers: Sequence[ServerSettings],
    environ: Mapping[str, str],
    seconds: float,
    processes: Processes,
    tell: Callable[[str], None],
) -> Mapping[str, Outcome]:
    """The first answer of every server, or its last outcome when the time ran out or it denied the login."""
    access = ServerAccess(first.configuration, first.settings, environ)
    ends = time.monotonic() + seconds
    outcomes: dict[str, Outcome] = {}
    for attempt in count():
        waiting = [s for s in servers if not isinstance(outcomes.get(s.name), Answered | Denied)]
        left = ends - time.monotonic()
        if not waiting or left <= 0 or processes.interrupted:
            break
        if attempt == 0:
            for server in servers:
                tell(f"{server.name}: has just been deployed; waiting until it answers")
        polled = access.to_all([_in_time(server, left) for server in waiting])
        with Polling(polled, len(polled)) as polling, processes.calling(polling.close):
            outcomes |= polling.first()
        for server in waiting:
            # A new server has no user but its administrator yet.
            if isinstance(outcomes[server.name], Denied) and _create_reader(access, server):
                tell(f"{server.name}: made the user {server.api.username}, who may read its adapters' ports")
                outcomes[server.name] = Unreachable("its user was made, and the time was over")
        if all(isinstance(outcomes[s.name], Answered | Denied) for s in waiting):
            break
        processes.sleep(min(_PAUSES[min(attempt, len(_PAUSES) - 1)], max(0.0, ends - time.monotonic())))
    return outcomes


def second_run_answers(
    first: RunRecord, outcomes: Mapping[str, Outcome], *, targeted: bool = False
) -> Answers:
    """The answers of a second run in the same command: those that were waited for, and nothing else new.

    The first run's answers are not used again: they have already been counted, and the state has changed
    since. All other servers stay as the stack remembers them. Where the run is `targeted`, servers that are
    not configured any more may have been left in the state.
    """
    decided = first.decision.adapters.servers
    left = first.memory.adapters.keys() | first.memory.servers.keys() if targeted else frozenset[str]()
    held: dict[str, ServerPolls] = {
        **{name: AlreadyPolled(Unreachable("it is not configured any more")) for name in left},
        **{name: AlreadyPolled(this.outcome) for name, this in decided.items()},
    }
    new: Mapping[str, ServerPolls] = {
        name: (said,) if isinstance(said, Answered) else AlreadyPolled(said)
        for name, said in outcomes.items()
    }
    # The configuration must be that of the first run: the user has not seen a preview of any other.
    given_for = replace(
        first.answers.given_for, memory=None, resources=None, servers=frozenset(decided.keys() | left)
    )
    return Answers(
        given_for=given_for,
        polls={**held, **new},
        # Servers are not listed again: an absence would count twice.
        listings=tuple(Listing(listing.source, held=True) for listing in first.answers.listings),
    )


def _create_reader(access: ServerAccess, server: ServerSettings) -> bool:
    """Whether the user could be created: only where the stack has the login for it, and the user is new."""
    administrator = first_administrator(access.settings.server_secrets.get(server.name))
    api = access.to_all([server])[server.name]
    if administrator is None or not isinstance(api, ApiAccess):
        return False
    return isinstance(ensure_reader(api, administrator, new_password=False), Created)


def _in_time(server: ServerSettings, left: float) -> ServerSettings:
    deadline = min(server.api.deadline, timedelta(seconds=left))
    return server.model_copy(update={"api": server.api.model_copy(update={"deadline": deadline})})
