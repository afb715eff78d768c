"""What a stack would declare now, without an engine and, unless it lists servers there, without a cluster."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from dittoinfra.model import Listing, Note, RememberedServer, ServersMemory
from dittoinfra.naming import adapter_resource, udp_resource
from dittoinfra.object_model import DeclaredObject
from dittoinfra.program.declared_objects import declared_objects
from dittoinfra.program.run_errors import RunRefused, RunStopped
from dittoinfra.program.survey import RunRecord, read_settings, survey
from dittoinfra.setup.manifests import RenderedMemory
from dittoinfra.stacks.backend_stack import BackendStack
from dittoinfra.stacks.stack_survey import context_of, read_stack


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a run decided, and everything that it would declare."""

    record: RunRecord
    objects: tuple[DeclaredObject, ...]

    @property
    def notes(self) -> tuple[Note, ...]:
        """Its notes for the user."""
        return (*self.record.notes, *self.record.decision.notes)

    @property
    def patched(self) -> tuple[str, ...]:
        """Servers whose workload belongs to another owner, and would get ports added."""
        return tuple(server.name for server in self.record.decision.declared if server.patch_ports)

    def memory(self) -> RenderedMemory:
        """What the next rendering has to know of this one."""
        decision = self.record.decision
        servers = sorted(decision.declared, key=lambda server: server.name)
        rendered = {this.held.name for this in self.objects}
        return RenderedMemory(
            servers={
                server.name: RememberedServer(
                    namespace=server.namespace,
                    found=dict(found.labels) if found is not None else None,
                    absences=found.absences if found is not None else 0,
                    deployed=server.deploy is not None,
                )
                for server in servers
                for found in [decision.found.get(server.name)]
            },
            adapters={
                server.name: {
                    adapter_type: replace(
                        adapter, split=udp_resource(adapter_resource(server.name, adapter_type)) in rendered
                    )
                    for adapter_type, adapter in decided.remembered(server.namespace).items()
                }
                for server in servers
                for decided in [decision.adapters.servers[server.name]]
            },
        )


def dry_run(stack: BackendStack, rendered: RenderedMemory | None = None) -> DryRun:
    """Everything the next run would declare; `RunStopped` or `CliFailedError` where it would stop before.

    What was `rendered` last is its memory of servers and adapters, or else the stack's state is. Every kind
    and namespace is assumed to exist in the cluster: users who apply manifests elsewhere know better. Without
    any memory of found servers, a listing that fails stops it: its servers would look as if they were gone.
    """
    stored = read_stack(stack)
    settings = read_settings(stored.configuration)
    # A state cannot be declared again as manifests: a run that would hold a server in it is refused.
    memory = replace(stored.memory(), held=None)
    if rendered is not None:
        memory = replace(memory, adapters=rendered.adapters, servers=rendered.servers)
    context = replace(context_of(stack), has_cluster=False)
    record = survey(stored.configuration, settings, memory, context)
    if record.decision.refusals:
        raise RunRefused(record.decision.refusals).of(record)
    if rendered is None and (gaps := gaps_from_nothing(memory.servers, record.answers.listings)):
        raise RunStopped(gaps).of(record)
    # Manifests are written, and replace nothing in any cluster by themselves.
    kept = replace(record, decision=replace(record.decision, replaced=frozenset()))
    return DryRun(record, declared_objects(kept))


def gaps_from_nothing(servers: ServersMemory, listings: Iterable[Listing]) -> tuple[str, ...]:
    """Why manifests could be missing: a listing with gaps, and no memory of servers found before. Pure."""
    if any(server.found is not None for server in servers.values()):
        return ()
    return tuple(
        f"{listing.source}: the listing is not complete ({listing.gaps[0].why}), and neither the folder nor "
        "the stack's state remembers a server that was found before: manifests could be missing, and what "
        "applies them would delete those servers' Services; render into the folder of last time, or run "
        "again once the cluster lists them"
        for listing in listings
        if listing.gaps
    )
