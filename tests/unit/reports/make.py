"""Builders for results of runs: many, large and hostile ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dittoinfra.changes import Changes
from dittoinfra.decide.decision import Decision
from dittoinfra.decide.observations import Answers, Fingerprints
from dittoinfra.model import (
    Answered,
    DeclaredAdapter,
    Outcome,
    Reason,
    Removal,
    ServerDecision,
    StackDecision,
    State,
    Unreachable,
)
from dittoinfra.naming import adapter_service
from dittoinfra.program.survey import RunRecord
from dittoinfra.request import Operation
from dittoinfra.settings import StackSettings
from dittoinfra.stacks.result import Diagnostic, FleetResult, RunReport, StackResult, Step
from dittoinfra.stacks.shown_values import Difference, ObjectReference
from dittoinfra.state import Memory
from tests.unit.status.make import configuration

REASONS = {
    "create": "served, not in the stack yet",
    "update": "served, moved from port 12049 to 12050",
    "delete": "disabled on the server",
    "same": "served",
}
PORT_MOVED = (Difference("spec.ports[0].port", "12049", "12050"),)


@dataclass
class Adapter:
    """One adapter, and the engine's operation on its Service; `same` is none."""

    type: str = "nfs"
    operation: str = "same"
    state: State = State.SERVING
    port: int = 12049
    external: Sequence[str] = ()
    hostname: str | None = None
    differences: tuple[Difference, ...] = ()
    failed: bool = False


@dataclass
class Server:
    """One server with its adapters."""

    name: str = "media"
    adapters: Sequence[Adapter] = (Adapter("nfs"), Adapter("smb", port=12445))
    why: str | None = None
    namespace: str = "files"

    @property
    def outcome(self) -> Outcome:
        return Answered(()) if self.why is None else Unreachable(self.why)


@dataclass
class Stack:
    """One stack with its servers."""

    name: str = "prod"
    servers: Sequence[Server] = field(default_factory=lambda: [Server()])
    diagnostics: Sequence[tuple[str, str]] = ()
    exit_code: int = 0


def result(*stacks: Stack, operation: Operation = Operation.PREVIEW) -> FleetResult:
    """What a fleet of these would have come to."""
    return FleetResult(tuple(StackResult(stack.name, operation, _report(stack), 1.25) for stack in stacks))


def step(
    server: str,
    name: str,
    operation: str,
    kind: str = "Service",
    *,
    adapter: str | None = None,
    differences: tuple[Difference, ...] = (),
    failed: bool = False,
    namespace: str = "files",
) -> Step:
    """One step on one object."""
    resource = f"{server}/{adapter}" if adapter is not None else name
    return Step(
        operation=operation,
        type=f"kubernetes:core/v1:{kind}",
        name=resource,
        urn=f"urn:pulumi:prod::dittoinfra::dittoinfra:index:Server$kubernetes:core/v1:{kind}::{resource}",
        changed=tuple(each.path for each in differences),
        differences=differences,
        object=ObjectReference("v1", kind, namespace, name),
        server=server,
        failed=failed,
        done=not failed,
    )


def _report(stack: Stack) -> RunReport:
    decisions = {server.name: _decision(server) for server in stack.servers}
    removals = tuple(removal for each in decisions.values() for removal in each.removals)
    steps = [each for server in stack.servers for each in _steps(server)]
    operations = [each.operation for each in steps]
    return RunReport(
        changes=Changes(create=operations.count("create"), delete=operations.count("delete")),
        steps=tuple(steps),
        diagnostics=tuple(Diagnostic(*each) for each in stack.diagnostics),
        exit_code=stack.exit_code,
        reasons={
            f"{server.name}/{adapter.type}": REASONS[adapter.operation]
            for server in stack.servers
            for adapter in server.adapters
        },
        outputs={"servers": {server.name: _outputs(server) for server in stack.servers}},
        decided=RunRecord(
            configuration(),
            StackSettings(),
            Memory(),
            Answers(Fingerprints()),
            Decision(StackDecision(decisions, 2, removals, ())),
        ),
    )


def _decision(server: Server) -> ServerDecision:
    kept = [each for each in server.adapters if each.operation != "delete"]
    gone = [each for each in server.adapters if each.operation == "delete"]
    return ServerDecision(
        server=server.name,
        outcome=server.outcome,
        bootstrap=False,
        adapters=tuple(DeclaredAdapter(each.type, each.port, each.state) for each in kept),
        removals=tuple(Removal(server.name, each.type, Reason.DISABLED) for each in gone),
    )


def _steps(server: Server) -> list[Step]:
    return [
        step(
            server.name,
            adapter_service(server.name, each.type),
            each.operation,
            adapter=each.type,
            differences=each.differences,
            failed=each.failed,
            namespace=server.namespace,
        )
        for each in server.adapters
        if each.operation != "same"
    ]


def _outputs(server: Server) -> Mapping[str, Any]:
    return {
        "namespace": server.namespace,
        "adapters": {
            each.type: {
                "state": str(each.state),
                "port": each.port,
                "endpoints": {
                    "internal": f"{adapter_service(server.name, each.type)}.files.svc:{each.port}",
                    "external": list(each.external),
                },
                **_dns(each),
            }
            for each in server.adapters
            if each.operation != "delete"
        },
        "conditions": [],
    }


def _dns(adapter: Adapter) -> Mapping[str, Any]:
    if adapter.hostname is None:
        return {}
    addresses = [each.rpartition(":")[0] for each in adapter.external]
    return {
        "dns": {
            "backend": "router-hosts",
            "hostname": adapter.hostname,
            "aliases": [],
            "addresses": addresses,
            "reason": "HostRequested",
        }
    }


def large(stacks: int = 20, servers: int = 100) -> FleetResult:
    """A fleet in which something happens here and there."""
    return result(*(_large_stack(number, servers) for number in range(stacks)))


def _large_stack(number: int, servers: int) -> Stack:
    made = [_large_server(number, each, servers) for each in range(servers)]
    silent = [("warning", f"{server.name}: unreachable: {server.why}") for server in made if server.why]
    if number == 7:
        error = "the stack is locked by another run; wait for it, or break the lock with `pulumi cancel`"
        return Stack(f"stack-{number:02}", [], [("error", error)], exit_code=1)
    return Stack(f"stack-{number:02}", made, silent)


def _large_server(stack: int, number: int, servers: int) -> Server:
    name = f"media-{stack:02}-{number:03}"
    address = f"192.0.2.{number % 250 + 1}"
    nfs = Adapter("nfs", external=[f"{address}:12049"], hostname=f"nfs.{name}.example.com")
    smb = Adapter("smb", port=12445, external=[f"{address}:12445"])
    quiet = stack % 3 == 2
    match (stack * servers + number * 7) % 50:
        case 3 if not quiet:
            smb.operation, smb.external = "delete", ()
        case 11 | 21 if not quiet:
            nfs.operation, nfs.differences, nfs.port = "update", PORT_MOVED, 12050
        case 34 if not quiet:
            smb.operation, smb.external = "create", ()
        case 41:
            return Server(name, [nfs, smb], why="no answer within 10 s; check that the server is running")
        case _:
            pass
    return Server(name, [nfs, smb])
