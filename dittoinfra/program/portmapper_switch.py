"""Switches the portmapper of servers on whose Services expose it, where the login may do that."""

from collections.abc import Iterator, Mapping

import pulumi

from dittoinfra.decide.exposure import PORTMAPPER_TARGET, exposes_portmapper
from dittoinfra.dittofs.portmapper import Portmapper, PortmapperOutcome, SeenPortmapper, portmappers
from dittoinfra.model import Answered, Denied, Note, ServerDecision, State
from dittoinfra.program.cluster_tunnels import resolve_reachable
from dittoinfra.program.survey import RunRecord
from dittoinfra.settings import ServerSettings, service_settings

_BY_HAND = "`dfsctl adapter settings nfs update --portmapper-enabled` as an administrator"

_SAID = {
    Portmapper.OFF: "its portmapper is exposed and off: `up` switches it on",
    Portmapper.SWITCHED_ON: (
        "its portmapper was off and is switched on: it answers after the next start of nfs"
    ),
}


def switch_on_portmappers(record: RunRecord, environ: Mapping[str, str]) -> tuple[Note, ...]:
    """Switch on every portmapper that is exposed and off; a preview only says so."""
    decision, settings = record.decision, record.settings
    exposed = [
        server for server in decision.declared if _is_exposed(server, decision.adapters.servers[server.name])
    ]
    if not exposed:
        return ()
    asked, _ = resolve_reachable(exposed, record.configuration, settings, environ, record.cluster)
    switch_on = not pulumi.runtime.is_dry_run()
    told = portmappers(asked, settings.max_concurrent_polls, switch_on=switch_on)
    return tuple(note for name, outcome in told.items() for note in _notes(name, outcome))


def _is_exposed(server: ServerSettings, decision: ServerDecision) -> bool:
    """Whether a server that has answered serves, or is said to serve, a portmapper on a Service."""
    return isinstance(decision.outcome, Answered) and any(
        adapter.state in (State.SERVING, State.PINNED)
        and exposes_portmapper(adapter, service_settings(server, adapter.type))
        for adapter in decision.adapters
    )


def _notes(server: str, outcome: PortmapperOutcome) -> Iterator[Note]:
    match outcome:
        case SeenPortmapper(state, port):
            if state is not Portmapper.ON:
                yield Note(server, _SAID[state])
            if port not in (None, PORTMAPPER_TARGET):
                text = (
                    f"its portmapper listens on {port}, and the Service leads to {PORTMAPPER_TARGET}, where "
                    "nothing answers: run `dfsctl adapter settings nfs update --portmapper-port "
                    f"{PORTMAPPER_TARGET}` as an administrator, or drop extras.portmapper"
                )
                yield Note(server, text, warning=True)
        case Denied():
            text = (
                "its portmapper is exposed, and this login may not see whether it is on; it is off by default"
            )
            yield Note(server, f"{text}: run {_BY_HAND}, or drop extras.portmapper")
        case unanswered:
            yield Note(server, f"whether its portmapper is on could not be seen: {unanswered.why}")
