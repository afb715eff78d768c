"""Asks servers for the clients that a run would cut off."""

from collections.abc import Collection, Mapping, Sequence

from dittoinfra.adapter_usage import UsageAnswer
from dittoinfra.decide.approvals import Approvals
from dittoinfra.decide.decision import AdapterDecision, decide_restarts
from dittoinfra.decide.in_use import InUseDecision, decide_in_use, servers_to_ask
from dittoinfra.decide.secret_restarts import KeyOfSecret
from dittoinfra.decide.server_discovery import discover
from dittoinfra.dittofs.usage import usages
from dittoinfra.model import Reason, Removal
from dittoinfra.naming import adapter_resource
from dittoinfra.object_model import HeldObject, LiveObjects
from dittoinfra.program.cluster_tunnels import resolve_reachable
from dittoinfra.program.provider_cluster import ProviderCluster, list_live_servers
from dittoinfra.settings import ServerSettings, StackSettings, effective_servers
from dittoinfra.settings.configuration import Configuration
from dittoinfra.state import Memory


def ask_in_use(
    configuration: Configuration,
    settings: StackSettings,
    memory: Memory,
    adapters: AdapterDecision,
    digests: Mapping[str, Mapping[KeyOfSecret, str]],
    objects: LiveObjects | None,
    environ: Mapping[str, str],
    cluster: ProviderCluster | None,
) -> Mapping[str, UsageAnswer]:
    """Who uses each of them, as far as the configuration still says how to ask it."""
    restarts = decide_restarts(settings, memory, adapters, digests, objects)
    workloads = adapters.approvals.workloads
    names = servers_to_ask(settings, adapters.stack.removals, restarts, workloads)
    servers = [server for server in adapters.known if server.name in names]
    if not servers:
        return {}
    return _ask(configuration, settings, servers, cluster, environ)


def destroyed_in_use(
    configuration: Configuration,
    settings: StackSettings,
    memory: Memory,
    environ: Mapping[str, str],
    targets: Collection[str] = (),
) -> InUseDecision:
    """What is said of the clients that `destroy` cuts off; `targets` are all that it deletes, where given."""
    removals = [
        Removal(server, adapter_type, Reason.DESTROYED)
        for server, adapters in sorted(memory.adapters.items())
        for adapter_type in sorted(adapters)
        if _is_deleted(server, adapter_type, memory, targets)
    ]
    names = servers_to_ask(settings, removals, {})
    if not names:
        return InUseDecision()
    cluster = ProviderCluster.of(configuration, environ)
    discovery = discover(settings, memory, list_live_servers(settings, cluster))
    servers = [each for each in effective_servers(settings, discovery.followed) if each.name in names]
    in_use = _ask(configuration, settings, servers, cluster, environ)
    approvals = Approvals.of(settings.approve_removals, removals)
    return decide_in_use(settings, memory.adapters, removals, {}, approvals, in_use)


def _is_deleted(server: str, adapter_type: str, memory: Memory, targets: Collection[str]) -> bool:
    """Whether an adapter's Service is deleted, or the server behind it."""
    held = (
        HeldObject("v1", "Service", adapter_resource(server, adapter_type)),
        HeldObject("apps/v1", "StatefulSet", server),
    )
    urns = {memory.identities[each].urn for each in held if each in memory.identities}
    # What a pattern stands for is the engine's to say: it may be everything.
    return not targets or any(target in urns or "*" in target for target in targets)


def _ask(
    configuration: Configuration,
    settings: StackSettings,
    servers: Sequence[ServerSettings],
    cluster: ProviderCluster | None,
    environ: Mapping[str, str],
) -> Mapping[str, UsageAnswer]:
    asked, unasked = resolve_reachable(servers, configuration, settings, environ, cluster)
    return {**unasked, **usages(asked, settings.max_concurrent_polls)}
