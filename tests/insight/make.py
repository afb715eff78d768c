"""One stack's facts, in few words."""

from collections.abc import Mapping, Sequence
from typing import Any

from dittoinfra.automation import Changes, Diagnostic, RunReport, Step
from dittoinfra.decide import decide_stack, refusals
from dittoinfra.insight.facts import Facts, Live, NotTold
from dittoinfra.insight.held import held_state
from dittoinfra.memory import Memory
from dittoinfra.model import NameMemory, Outcome, StackMemory
from dittoinfra.program import Answers, RunRecord
from dittoinfra.settings import ServerSettings

AT = "2026-11-16T06:54:32.000Z"
SUCCEEDED = {"kind": "update", "result": "succeeded", "endTime": AT}
SERVICE_TYPE = "kubernetes:core/v1:Service"
_ADAPTER = f"dittoinfra:index:Server$dittoinfra:index:AdapterService${SERVICE_TYPE}"


def urn(name: str, qualified_type: str = _ADAPTER) -> str:
    """How the engine calls a resource; by default the Service of an adapter."""
    return f"urn:pulumi:prod::dittoinfra::{qualified_type}::{name}"


def step(operation: str, name: str, *changed: str, kind: str | None = None) -> Step:
    """One thing that the engine would do, by default to the Service of an adapter."""
    return Step(operation, kind or SERVICE_TYPE, name, urn(name, kind or _ADAPTER), changed)


def report(*steps: Step, exit_code: int = 0, errors: Sequence[str] = (), **counts: int) -> RunReport:
    """What the engine said."""
    return RunReport(
        changes=Changes(**counts),
        steps=steps,
        diagnostics=tuple(Diagnostic("error", line) for line in errors),
        exit_code=exit_code,
    )


def record(servers: Sequence[ServerSettings], memory: StackMemory, heard: Mapping[str, Outcome]) -> RunRecord:
    """A run's decision, as the program comes to it."""
    polls = {name: (outcome,) for name, outcome in heard.items()}
    decision = decide_stack(servers, memory, polls)
    remembered = Memory(
        adapters=memory, workloads={}, objects=frozenset(), servers={}, names=NameMemory(), fingerprints={}
    )
    refused = refusals(decision, servers, ())
    return RunRecord(Answers(polls), decision, tuple(servers), remembered, refused=refused)


def service(name: str, port: int, *addresses: str, namespace: str = "files") -> dict[str, Any]:
    """An adapter's Service as the engine or the cluster shows it."""
    ports = [{"name": f"adapter-{name.rpartition('-')[2]}", "port": port, "targetPort": port}]
    return {
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"ports": ports},
        "status": {"loadBalancer": {"ingress": [{"ip": address} for address in addresses]}},
    }


def deployment(
    services: Mapping[str, Mapping[str, Any]], servers: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A state as the engine exports it."""
    stack = {"urn": urn("dittoinfra-prod", "pulumi:pulumi:Stack"), "type": "pulumi:pulumi:Stack"}
    return {
        "resources": [
            {**stack, "outputs": {"servers": servers or {}}},
            *({"urn": urn(n), "type": SERVICE_TYPE, "outputs": s} for n, s in services.items()),
        ]
    }


def facts(
    run: RunRecord,
    foretold: RunReport | None = None,
    state: Mapping[str, Any] | None = None,
    live: Live | NotTold | None = None,
    history: Sequence[Mapping[str, Any]] = (SUCCEEDED,),
) -> Facts:
    """Everything about the stack `prod`."""
    return Facts("prod", run, foretold or report(), held_state(state or {}), live or Live(), history)
