"""Immutable fields of a server's StatefulSet, and whether a run would change them. Pure."""

from collections.abc import Iterator, Sequence

from dittoinfra.decide.refusals import WorkloadReplaced
from dittoinfra.naming import headless_service, labels_text, selector
from dittoinfra.object_model import FixedFields, VolumeClaim, WorkloadMemory
from dittoinfra.settings import Deploy, ServerSettings
from dittoinfra.settings.deploy import CLAIM_NAMES, Claim


def planned_fields(server: ServerSettings, deploy: Deploy) -> FixedFields:
    """The fields of a server's StatefulSet that Kubernetes fixes at its creation."""
    storage = deploy.storage
    claims: dict[str, Claim | None] = {
        "metadata": storage.metadata,
        "content": storage.content,
        "controlplane": storage.controlplane,
    }
    return FixedFields(
        namespace=server.namespace,
        service_name=headless_service(server.name),
        selector=selector(server.name),
        pod_management="OrderedReady",
        claims=tuple(
            VolumeClaim(name, claim.size, claim.storage_class)
            for name in CLAIM_NAMES
            if (claim := claims[name]) is not None
        ),
    )


def replacements(servers: Sequence[ServerSettings], memory: WorkloadMemory) -> tuple[WorkloadReplaced, ...]:
    """Every change that would replace a StatefulSet of the state, unless its server asks for that."""
    changes: list[WorkloadReplaced] = []
    for server in servers:
        held, deploy = memory.get(server.name), server.deploy
        if held is not None and deploy is not None and not deploy.storage.replace:
            changes += immutable_changes(server, held, planned_fields(server, deploy))
    return tuple(changes)


def replaced(servers: Sequence[ServerSettings], memory: WorkloadMemory) -> frozenset[str]:
    """The servers whose StatefulSet a run replaces because they ask for that, by name."""
    return frozenset(
        server.name
        for server in servers
        if server.deploy is not None
        and server.deploy.storage.replace
        and (held := memory.get(server.name)) is not None
        and held != planned_fields(server, server.deploy)
    )


def immutable_changes(
    server: ServerSettings, held: FixedFields, planned: FixedFields
) -> Iterator[WorkloadReplaced]:
    """Everything about a StatefulSet that would have to change and cannot."""
    fields = {
        "namespace": (held.namespace, planned.namespace),
        "serviceName": (held.service_name, planned.service_name),
        "selector": (labels_text(held.selector), labels_text(planned.selector)),
        "podManagementPolicy": (held.pod_management, planned.pod_management),
        "the list of claims in deploy.storage": (_names(held.claims), _names(planned.claims)),
    }
    known = {claim.name: claim for claim in held.claims}
    instead = {}
    for claim in planned.claims:
        was, setting = known.get(claim.name, claim), f"deploy.storage.{claim.name}"
        size, default = was.size or "nothing", "the cluster's default"
        edit = f"kubectl -n {held.namespace} edit pvc {claim.name}-{server.name}-0"
        instead[f"{setting}.size"] = f"leave it at {size} and resize the claim itself (`{edit}`)"
        fields[f"{setting}.size"] = (size, claim.size or "nothing")
        fields[f"{setting}.storageClass"] = (was.storage_class or default, claim.storage_class or default)
    for field, (before, after) in fields.items():
        if before != after:
            yield WorkloadReplaced(server.name, field, before, after, instead.get(field, "set it back"))


def _names(claims: Sequence[VolumeClaim]) -> str:
    return "+".join(claim.name for claim in claims) or "nothing"
