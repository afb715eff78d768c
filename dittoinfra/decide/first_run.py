"""What stops a run that could declare nothing: a first one, or one without any servers. Pure."""

from collections.abc import Iterator, Sequence

from dittoinfra.decide.refusals import LoginRefused, NoServers, Refusal
from dittoinfra.model import ConfigurationSource, Denied, StackDecision
from dittoinfra.settings import ServerSettings
from dittoinfra.state import Memory


def first_run_refusals(
    decision: StackDecision,
    servers: Sequence[ServerSettings],
    memory: Memory,
    empty: ConfigurationSource | None,
) -> Iterator[Refusal]:
    """Why a run without anything to declare must stop; `empty` is a configuration that names no servers.

    A stack that holds something goes on without an answer, but not without any servers: a lost configuration
    would delete the servers that it deploys. A new one goes on where anything is declared: a server that the
    stack deploys, a pinned adapter, or the adapters of another server. So does a component: it does not know
    whether others of its program declare something.
    """
    if memory.of_component:
        return
    holds = memory.adapters or memory.servers or memory.objects
    if empty is not None:
        # What is rendered has no objects in a state.
        loses = memory.objects or any(server.deployed for server in memory.servers.values())
        # Where adapters would be removed, the brake asks for their approval.
        if not empty.intended and not decision.removals and (loses or not holds):
            yield NoServers(empty, len(memory.objects))
        return
    if holds:
        return
    refused = {
        server.name: outcome
        for server in servers
        if server.deploy is None
        and not decision.servers[server.name].adapters
        and isinstance(outcome := decision.servers[server.name].outcome, Denied)
    }
    if len(refused) == len(servers):
        # With `onUnreachable: fail` it is refused for that reason already.
        keep = {server.name for server in servers if server.on_unreachable == "keep"}
        yield from (LoginRefused(name, why) for name, why in refused.items() if name in keep)
