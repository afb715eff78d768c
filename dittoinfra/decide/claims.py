"""What of a server's StatefulSet cannot change once it exists, and whether a run would change it. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from dittoinfra.decide.refusals import WorkloadReplaced
from dittoinfra.model import FixedFields, VolumeClaim, WorkloadMemory
from dittoinfra.naming import headless_service, selector
from dittoinfra.settings import Deploy, ServerSettings
from dittoinfra.settings.deploy import Claim
from dittoinfra.settings.deploy.blocks import CLAIM_NAMES

_SET_BACK = "set it back"


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
            changes += differences(server, held, planned_fields(server, deploy))
    return tuple(changes)


def differences(
    server: ServerSettings, held: FixedFields, planned: FixedFields
) -> Iterator[WorkloadReplaced]:
    """Everything about a StatefulSet that would have to change and cannot."""
    yield from _changed_fields(server.name, held, planned)
    yield from _changed_claims(server.name, held, planned)


def _changed_fields(server: str, held: FixedFields, planned: FixedFields) -> Iterator[WorkloadReplaced]:
    fields = {
        "namespace": (held.namespace, planned.namespace),
        "serviceName": (held.service_name, planned.service_name),
        "selector": (_pairs(held.selector), _pairs(planned.selector)),
        "podManagementPolicy": (held.pod_management, planned.pod_management),
        "the list of claims in deploy.storage": (_names(held.claims), _names(planned.claims)),
    }
    for field, (before, after) in fields.items():
        if before != after:
            yield WorkloadReplaced(server, field, before, after, _SET_BACK)


def _changed_claims(server: str, held: FixedFields, planned: FixedFields) -> Iterator[WorkloadReplaced]:
    known = {claim.name: claim for claim in held.claims}
    for claim in planned.claims:
        was = known.get(claim.name, claim)
        before, after = was.size or "nothing", claim.size or "nothing"
        if before != after:
            edit = f"kubectl -n {held.namespace} edit pvc {claim.name}-{server}-0"
            instead = f"leave it at {before} and resize the claim itself (`{edit}`)"
            yield WorkloadReplaced(server, f"deploy.storage.{claim.name}.size", before, after, instead)
        if was.storage_class != claim.storage_class:
            field = f"deploy.storage.{claim.name}.storageClass"
            yield WorkloadReplaced(server, field, _class(was), _class(claim), _SET_BACK)


def _pairs(labels: Mapping[str, str]) -> str:
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items())) or "nothing"


def _names(claims: Sequence[VolumeClaim]) -> str:
    return "+".join(claim.name for claim in claims) or "nothing"


def _class(claim: VolumeClaim) -> str:
    return claim.storage_class or "the cluster's default"
