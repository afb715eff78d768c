"""Asks the servers whose clients a run would cut off who these are."""

from collections.abc import Mapping, Sequence

from dittoinfra.adapter_usage import UsageAnswer
from dittoinfra.decide.decision import AdapterDecision, decide_restarts
from dittoinfra.decide.in_use import servers_to_ask
from dittoinfra.decide.secret_restarts import KeyOfSecret
from dittoinfra.dittofs import ApiAccess
from dittoinfra.dittofs.usage import usages
from dittoinfra.model import Unanswered, Unreachable
from dittoinfra.program.cluster_tunnels import ClusterTunnels, resolve_all
from dittoinfra.program.provider_cluster import ProviderCluster
from dittoinfra.settings import ConfigurationError, ServerSettings, StackSettings
from dittoinfra.settings.configuration import Configuration
from dittoinfra.state import Memory


def ask_in_use(
    configuration: Configuration,
    settings: StackSettings,
    memory: Memory,
    adapters: AdapterDecision,
    digests: Mapping[str, Mapping[KeyOfSecret, str]],
    environ: Mapping[str, str],
) -> Mapping[str, UsageAnswer]:
    """Who uses each of them, as far as the configuration still says how to ask it."""
    restarts = decide_restarts(settings, memory, adapters, digests)
    names = servers_to_ask(settings, adapters.stack.removals, restarts)
    servers = [server for server in adapters.known if server.name in names]
    if not servers:
        return {}
    cluster = ProviderCluster.of(configuration, environ)
    tunnels = ClusterTunnels(cluster) if cluster else None
    found = frozenset(server.name for server in adapters.discovery.servers)
    asked, unasked = reachable(servers, configuration, settings, environ, tunnels, found)
    return {**unasked, **usages(asked, settings.max_concurrent_polls)}


def reachable(
    servers: Sequence[ServerSettings],
    configuration: Configuration,
    settings: StackSettings,
    environ: Mapping[str, str],
    tunnels: ClusterTunnels | None,
    found: frozenset[str],
) -> tuple[dict[str, ApiAccess], dict[str, Unanswered]]:
    """How each of the servers is asked, and why some are not."""
    try:
        access = resolve_all(servers, settings.passwords, environ, configuration.root, tunnels, found)
    except ConfigurationError as error:
        # With the answers of an earlier run this one may have no logins.
        why = "; ".join(map(str, error.problems))
        return {}, {server.name: Unreachable(why) for server in servers}
    asked = {name: how for name, how in access.items() if isinstance(how, ApiAccess)}
    unasked: dict[str, Unanswered] = {
        name: Unreachable(how.cause, how.next_step)
        for name, how in access.items()
        if not isinstance(how, ApiAccess)
    }
    return asked, unasked
