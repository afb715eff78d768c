"""What a server's component records in the state for the next run: its outputs, written and read here. Pure.

They are what the stack remembers of a server and of its adapters. The Services themselves are not reliable
for this: they are live, and other managers write to them too.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args

from dittoinfra.model import (
    Addresses,
    DeclaredAdapter,
    DnsBackend,
    FoundServer,
    HostNames,
    Located,
    NameMemory,
    RememberedAdapter,
    RememberedNames,
)
from dittoinfra.naming import adapter_resource
from dittoinfra.nested_values import block, text
from dittoinfra.object_model import SecretsSeen
from dittoinfra.state.kubernetes_objects import Resources, outputs_by_name
from dittoinfra.urns import SERVER_TYPE, adapter_around, adapter_of, is_former_component

ADAPTERS = "adapters"
"""Output that notes the server's adapters by type."""

REMOVED = "removed"
"""Output that notes adapters whose Services this run deletes: a deletion may fail, and then they remain."""

DEPLOYED = "deployed"
"""Output that notes that the stack runs the server: a refresh may have dropped its StatefulSet."""

HOST_IDS = "router-hosts.fzymgc.house/host-ids"
"""Annotation in which router-hosts notes the entries that it has made for a Service."""

ASKED_AT = "askedAt"
"""What is noted there of where its server was asked."""

DNS = "dns"
"""What is noted there of an adapter's names, where it has some."""

SECRETS = "secrets"
"""Output that notes digests of the Secrets that a deployed server reads."""

CARRIED = "carriedConfig"
"""Output that notes what an adopted server's configuration had beyond the settings, as JSON: the engine would
return its numbers as floats."""


def server_memory(
    namespace: str,
    adapters: Iterable[DeclaredAdapter],
    found: FoundServer | None,
    names: Mapping[str, RememberedNames] | None = None,
    removed: Iterable[RememberedAdapter] = (),
    secrets: SecretsSeen | None = None,
    carried: Mapping[str, Any] | None = None,
    *,
    deployed: bool = False,
) -> dict[str, Any]:
    """The outputs of a server's component; `names` are those of its adapters, by type.

    `removed` are adapters as they were remembered, whose Services this run deletes.
    """
    told = names or {}
    noted = {adapter.type: _note(adapter, told.get(adapter.type)) for adapter in adapters}
    outputs: dict[str, Any] = {"namespace": namespace, "found": found is not None, ADAPTERS: noted}
    if deployed:
        outputs[DEPLOYED] = True
    if gone := {adapter.type: _note(adapter) for adapter in removed}:
        outputs[REMOVED] = gone
    if found is not None:
        outputs["labels"] = dict(found.labels)
        if found.absences:
            outputs["absences"] = found.absences
    if secrets is not None and secrets.digests:
        restart = {"restart": secrets.restart} if secrets.restart else {}
        outputs[SECRETS] = {"digests": dict(secrets.digests), **restart}
    if carried:
        outputs[CARRIED] = json.dumps(carried, sort_keys=True)
    return outputs


def remembered_secrets(resources: Resources) -> Mapping[str, SecretsSeen]:
    """What was seen of the Secrets that each deployed server reads, by server."""
    return {
        server: SecretsSeen(
            {name: digest for name, digest in block(noted, "digests").items() if isinstance(digest, str)},
            text(noted, "restart"),
        )
        for server, outputs in outputs_by_name(resources, SERVER_TYPE).items()
        if (noted := block(outputs, SECRETS))
    }


def remembered_config(resources: Resources) -> Mapping[str, Mapping[str, Any]]:
    """What is carried over into the configuration of adopted servers, by server."""
    return {
        server: json.loads(carried)
        for server, outputs in outputs_by_name(resources, SERVER_TYPE).items()
        if (carried := text(outputs, CARRIED)) is not None
    }


def _note(
    adapter: DeclaredAdapter | RememberedAdapter, told: RememberedNames | None = None
) -> dict[str, Any]:
    names = {DNS: names_output(told)} if told is not None else {}
    # Without it, as every state has it that knows nothing of addresses.
    asked = {ASKED_AT: adapter.asked_at} if adapter.asked_at is not None else {}
    return {"port": adapter.port, "absences": adapter.absences, **asked, **names}


def names_output(told: RememberedNames) -> dict[str, Any]:
    """An adapter's names, and what was reported of them.

    The engine reads a live Service at the next update only: without this, each run would report the same
    address and the same registration again.
    """
    names = told.names
    return {
        "namespace": names.namespace,
        "service": names.service,
        "backend": names.backend,
        "hostname": names.hostname,
        "aliases": list(names.aliases),
        "ip": names.ip,
        "addresses": list(told.located.addresses),
        "registered": list(told.located.registered),
        # Without these, as every state has it that knows nothing of them.
        **({"kind": names.kind} if names.kind != "Service" else {}),
        **({"pin": True} if names.pin else {}),
        **({"blanks": dict(told.located.blanks)} if told.located.blanks else {}),
    }


def remembered_names(resources: Resources) -> NameMemory:
    """Names, and what is known of them, by adapter."""
    told = {
        adapter_resource(*adapter): names
        for adapter, noted in _noted(resources)
        if (names := _told(*adapter, noted)) is not None
    }
    services = {
        adapter_resource(*adapter): located(resource.get("outputs") or {})
        for urn, resource in resources.items()
        if (adapter := adapter_of(urn)) is not None
    }
    return NameMemory(told, services)


def _noted(resources: Resources) -> Iterator[tuple[tuple[str, str], Mapping[str, Any]]]:
    """What is noted of every adapter's names, the newer of two notes last."""
    for urn, resource in resources.items():
        # Earlier versions noted it on the component of the adapter itself.
        if is_former_component(urn) and (adapter := adapter_around(urn)) is not None:
            yield adapter, block(resource.get("outputs") or {}, DNS)
    for server, outputs in outputs_by_name(resources, SERVER_TYPE).items():
        for adapter_type in block(outputs, ADAPTERS):
            yield (server, adapter_type), block(outputs, ADAPTERS, adapter_type, DNS)


def ingress_addresses(service: Mapping[str, Any]) -> Addresses:
    """Every address or host name that a load balancer has given a Service, in a stable order."""
    return tuple(sorted(_ingress(service)))


def located(service: Mapping[str, Any]) -> Located:
    """Where a live Service is found, and which of its names router-hosts says that it has."""
    return Located(_ingress(service), _registered(block(service, "metadata", "annotations").get(HOST_IDS)))


def synced_names(mapping: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of a live HostMapping, where router-hosts says that it has an entry for them as they are."""
    condition = sync_condition(mapping)
    if condition.get("status") != "True":
        return ()
    # Without a generation on either side it cannot be told whether the condition is about today's names.
    generation = block(mapping, "metadata").get("generation")
    if generation is None or condition.get("observedGeneration") != generation:
        return ()
    spec = block(mapping, "spec")
    return tuple(filter(None, (text(spec, "hostname"), *_texts(spec.get("aliases")))))


def sync_condition(mapping: Mapping[str, Any]) -> Mapping[str, Any]:
    """What router-hosts says last of a live HostMapping; empty where it has said nothing."""
    conditions = block(mapping, "status").get("conditions")
    found = conditions if isinstance(conditions, list) else []
    return next((it for it in found if isinstance(it, Mapping) and it.get("type") == "Synced"), {})


def _registered(host_ids: object) -> tuple[str, ...]:
    """The host names in router-hosts' own note, which is a JSON object of IDs by host name."""
    try:
        ids = json.loads(host_ids) if isinstance(host_ids, str) else None
    except (ValueError, RecursionError):
        return ()
    return tuple(sorted(ids)) if isinstance(ids, dict) else ()


def _ingress(service: Mapping[str, Any]) -> Addresses:
    ingresses = block(service, "status", "loadBalancer").get("ingress")
    entries = ingresses if isinstance(ingresses, list) else []
    found = (text(entry, "ip") or text(entry, "hostname") for entry in entries if isinstance(entry, Mapping))
    return tuple(filter(None, found))


def _told(server: str, adapter_type: str, told: Mapping[str, Any]) -> RememberedNames | None:
    namespace, service, hostname = (text(told, key) for key in ("namespace", "service", "hostname"))
    backend: DnsBackend | None = next((b for b in get_args(DnsBackend) if b == told.get("backend")), None)
    if namespace is None or service is None or hostname is None or backend is None:
        return None
    names = HostNames(
        server=server,
        type=adapter_type,
        namespace=namespace,
        service=service,
        backend=backend,
        hostname=hostname,
        aliases=_texts(told.get("aliases")),
        ip=text(told, "ip"),
        kind="HostMapping" if told.get("kind") == "HostMapping" else "Service",
        pin=told.get("pin") is True,
    )
    located = Located(
        _texts(told.get("addresses")),
        _texts(told.get("registered")),
        # The engine passes numbers as floats.
        {
            address: int(count)
            for address, count in block(told, "blanks").items()
            if isinstance(count, int | float) and count > 0
        },
    )
    return RememberedNames(names, located)


def _texts(values: object) -> tuple[str, ...]:
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()
