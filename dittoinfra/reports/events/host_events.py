"""What becomes of host names in a run, from what the servers' components note of them before and after."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pulumi.automation import OpType, StepEventMetadata

from dittoinfra.decide.host_names import HostState, host_states
from dittoinfra.model import Addresses, RememberedNames
from dittoinfra.naming import adapter_resource
from dittoinfra.stacks.engine_events import object_of
from dittoinfra.stacks.shown_values import ObjectReference
from dittoinfra.state import remembered_names
from dittoinfra.urns import SERVER_TYPE, adapter_of, is_former_component


@dataclass(frozen=True, slots=True)
class HostChange:
    """Something else is known of a host name, or it is gone."""

    action: Literal["Create", "Update", "Delete"]
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class NamedService:
    """The Service of an adapter that a run has passed."""

    server: str
    adapter: str
    object: ObjectReference
    urn: str
    op: OpType


@dataclass
class RunNames:
    """The names of the adapters of one run."""

    planned: bool = False
    """Whether it is a preview."""
    _before: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _after: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """Components that note names, by URN."""
    _services: dict[str, NamedService] = field(default_factory=dict)
    """By adapter (server/type)."""

    def add(self, step: StepEventMetadata, *, planned: bool) -> None:
        """Note a step that has ended."""
        self.planned = planned
        adapter, about = adapter_of(step.urn), object_of(step)
        if step.type == SERVER_TYPE or is_former_component(step.urn):
            for noted, state in ((self._before, step.old), (self._after, step.new)):
                if state is not None:
                    noted[step.urn] = {"outputs": state.outputs or {}}
        elif adapter is not None and about is not None:
            self._services[adapter_resource(*adapter)] = NamedService(*adapter, about, step.urn, step.op)

    def changes(self) -> Iterator[tuple[NamedService, HostChange]]:
        """Every change, in a stable order; none of a Service on which a step has failed."""
        before, after = (remembered_names(noted).told for noted in (self._before, self._after))
        for adapter, service in sorted(self._services.items()):
            # An earlier run may have noted the names of a Service that it failed to create.
            told = None if service.op is OpType.CREATE else before.get(adapter)
            for change in _changes(told, after.get(adapter)):
                yield service, change


_Known = Mapping[str, tuple[HostState, str, Addresses]]
"""The state of each name, which backend is asked for it, and where it leads."""


def _changes(before: RememberedNames | None, after: RememberedNames | None) -> Iterator[HostChange]:
    old, new = _known(before), _known(after)
    for name in sorted(new):
        if old.get(name) == new[name]:
            continue
        state, backend, addresses = new[name]
        leads = f"{name} → {', '.join(addresses)}"
        messages = {
            HostState.PENDING: f"{name} waits for the load balancer's address",
            HostState.REGISTERED: f"{leads}, {backend} has an entry for it",
        }
        asked = f"{leads}, requested from {backend}"
        yield HostChange("Update" if name in old else "Create", state, messages.get(state, asked))
    if before is not None and before.requested:
        for name in sorted(old.keys() - new):
            yield HostChange("Delete", "HostDeleted", f"{name} is no longer requested")


def _known(told: RememberedNames | None) -> _Known:
    if told is None:
        return {}
    found = told.names.backend, told.located.addresses
    return {name: (state, *found) for name, state in host_states(told.names, told.located).items()}
