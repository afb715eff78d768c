"""Servers that the stack has deployed and whose workload a run would delete. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dittoinfra.decide.approvals import Approvals
from dittoinfra.decide.refusals import WorkloadRemoved
from dittoinfra.model import Note
from dittoinfra.naming import adapter_resource
from dittoinfra.settings import ServerSettings
from dittoinfra.state import Memory


@dataclass(frozen=True, slots=True)
class LostWorkload:
    """A server's StatefulSet, configuration and Services of its API, which go."""

    server: str
    cause: str
    instead: str

    @property
    def approval(self) -> str:
        """The name that approves it in `approveRemovals`."""
        return adapter_resource(self.server, "deploy")

    @property
    def note(self) -> Note:
        """What is said where it is approved."""
        text = "its StatefulSet, its configuration and the Services of its API are deleted"
        return Note(self.server, f"{self.cause}: {text}", warning=True)


def lost_workloads(declared: Sequence[ServerSettings], memory: Memory) -> tuple[LostWorkload, ...]:
    """The deployed servers whose workload goes while no removal of an adapter tells so."""
    return tuple(_lost({server.name: server for server in declared}, memory))


def _lost(declared: Mapping[str, ServerSettings], memory: Memory) -> Iterator[LostWorkload]:
    for name, held in memory.servers.items():
        server = declared.get(name)
        if not held.deployed:
            continue
        if server is not None and server.deploy is None:
            yield LostWorkload(name, "deploy is not configured any more", "restore deploy")
        elif name in memory.adapters:
            # Its adapters go, or move, with it: that is told, and the brake counts them.
            continue
        elif server is None:
            yield LostWorkload(name, "it is not configured any more", "restore it")
        elif memory.replacing:
            settings = " and ".join(f"kubernetes:{setting}" for setting in memory.replacing)
            yield LostWorkload(name, f"{settings} leads elsewhere", "set it back")


def workload_refusals(lost: Sequence[LostWorkload], approvals: Approvals) -> Iterator[WorkloadRemoved]:
    """Those that are not approved."""
    for this in lost:
        if this.approval not in approvals.given:
            yield WorkloadRemoved(this.server, this.cause, this.instead, approvals.needed)
