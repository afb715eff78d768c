"""How a server stands, in the three conditions people know from Kubernetes. Pure."""

from dataclasses import dataclass
from typing import Literal

from dittoinfra.decide.text import state_text
from dittoinfra.model import Answered, ServerDecision, State
from dittoinfra.settings import ServerSettings

Status = Literal["True", "False"]


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition; it carries no clock, so that a run with nothing new changes nothing."""

    type: Literal["APIReachable", "AdaptersReady", "Ready"]
    status: Status
    reason: str
    message: str


def conditions(server: ServerSettings, decision: ServerDecision) -> tuple[Condition, Condition, Condition]:
    """Whether the API answers, whether every adapter is served, and both together."""
    reachable = _api_reachable(decision)
    ready = _adapters_ready(server, decision)
    lacking = next((c for c in (reachable, ready) if c.status == "False"), None)
    if lacking is None:
        return reachable, ready, Condition("Ready", "True", "Ready", ready.message)
    return reachable, ready, Condition("Ready", "False", lacking.reason, lacking.message)


def _api_reachable(decision: ServerDecision) -> Condition:
    outcome = decision.outcome
    if isinstance(outcome, Answered):
        return Condition("APIReachable", "True", "Answered", "the API answered")
    return Condition("APIReachable", "False", type(outcome).__name__, outcome.why)


def _adapters_ready(server: ServerSettings, decision: ServerDecision) -> Condition:
    served = [a for a in decision.adapters if a.state in (State.SERVING, State.PINNED)]
    waiting = [a for a in decision.adapters if a not in served]
    if waiting:
        states = ", ".join(f"{a.type} {state_text(a, server.absence_polls)}" for a in waiting)
        return Condition("AdaptersReady", "False", "NotServed", states)
    if decision.bootstrap and not served:
        return Condition("AdaptersReady", "False", "Bootstrap", "no adapters are known yet")
    names = ", ".join(a.type for a in served) or "no adapters are enabled"
    return Condition("AdaptersReady", "True", "Served", names)
