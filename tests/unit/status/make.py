"""Builders for the facts of one stack."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dittoinfra.changes import Changes
from dittoinfra.decide.brake import refusals
from dittoinfra.decide.decision import Decision
from dittoinfra.decide.observations import Answers, Fingerprints
from dittoinfra.decide.stack_rules import decide_stack, servers_to_declare
from dittoinfra.model import AlreadyPolled, Outcome, ServerPolls, StackMemory, Uncounted
from dittoinfra.program.survey import RunRecord
from dittoinfra.reports.stack_history import history_entry
from dittoinfra.reports.status.forecast import Forecast
from dittoinfra.reports.status.stack_status import ClusterUnknown, LiveManifests, StackFacts, exported_state
from dittoinfra.settings import ServerSettings, StackSettings
from dittoinfra.settings.configuration import Configuration
from dittoinfra.stacks.result import Diagnostic, RunReport, Step
from dittoinfra.state import Memory

AT = "2026-11-16T06:54:32.000Z"
SUCCEEDED: Mapping[str, Any] = {"kind": "update", "result": "succeeded", "endTime": AT}
SERVICE_TYPE = "kubernetes:core/v1:Service"
_ADAPTER = f"dittoinfra:index:Server${SERVICE_TYPE}"


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


def record(
    servers: Sequence[ServerSettings],
    memory: StackMemory,
    heard: Mapping[str, Outcome] | Mapping[str, ServerPolls],
) -> RunRecord:
    """A run's decision, as the program comes to it; what was heard is one outcome, or all polls, of each."""
    polls: dict[str, ServerPolls] = {
        name: said if isinstance(said, Sequence | AlreadyPolled | Uncounted) else (said,)
        for name, said in heard.items()
    }
    adapters = decide_stack(servers, memory, polls)
    decision = Decision(
        adapters,
        known=tuple(servers),
        declared=servers_to_declare(servers, adapters),
        refusals=refusals(adapters, servers, StackSettings()),
    )
    answers = Answers(Fingerprints(), polls)
    return RunRecord(configuration(), StackSettings(), Memory(adapters=memory), answers, decision)


def configuration(root: Path = Path()) -> Configuration:
    """That of a stack which renders manifests, and so has no cluster."""
    values = {"kubernetes:renderYamlToDirectory": "rendered"}
    return Configuration("dittoinfra", "prod", root, values, frozenset())


def service(
    name: str, port: int, *addresses: str, target: int | None = None, **spec: object
) -> dict[str, Any]:
    """An adapter's Service as the engine or the cluster shows it."""
    kind = name.rpartition("-")[2]
    data = {"name": f"adapter-{kind}", "port": port, "targetPort": target or port, "nodePort": 31000}
    return {
        "metadata": {"name": name, "namespace": "files"},
        "spec": {"type": "LoadBalancer", "ports": [data], **spec},
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
    foretold: Forecast | None = None,
    state: Mapping[str, Any] | None = None,
    live: LiveManifests | ClusterUnknown | None = None,
    history: Sequence[Mapping[str, Any]] = (SUCCEEDED,),
    slices: Sequence[Mapping[str, Any]] | str = (),
) -> StackFacts:
    """Everything about the stack `prod`."""
    return StackFacts(
        "prod",
        run,
        foretold or {},
        exported_state(state or {}),
        live or {},
        tuple(map(history_entry, history)),
        {"files": slices},
    )


def endpoint_slice(service: str, port: str, *, ready: bool | None = True) -> dict[str, Any]:
    """What stands behind a Service."""
    return {
        "metadata": {"labels": {"kubernetes.io/service-name": service}},
        "ports": [{"name": port, "port": 12049}],
        "endpoints": [{"addresses": ["10.0.0.7"], "conditions": {} if ready is None else {"ready": ready}}],
    }
