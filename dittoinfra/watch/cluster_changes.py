"""Whether what the cluster lists would make a run change anything. Pure.

Compared with what the last run was told, not with what it made of it: a run that changes nothing is not
followed by another one.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any

from dittoinfra.decide.endpoints import host_and_port
from dittoinfra.decide.names import NameDecision
from dittoinfra.decide.server_discovery import objects_by_server
from dittoinfra.decide.server_rules import decide_server
from dittoinfra.model import ListedObject, Listing, Located, Missing, StackMemory
from dittoinfra.naming import adapter_service
from dittoinfra.nested_values import block, text
from dittoinfra.program.survey import RunRecord
from dittoinfra.watch.adapter_changes import AdapterChange, ChangeKind, changes

Balancers = Mapping[tuple[str, str], frozenset[str]]
"""The addresses that load balancers have given, by namespace and Service."""

_GONE = Missing("not listed any more")


def listing_changes(
    record: RunRecord, memory: StackMemory, listed: Sequence[ListedObject]
) -> Mapping[str, tuple[AdapterChange, ...]]:
    """What a run would change that lists these objects, by server; `memory` is what the stack holds.

    A listing without any server changes nothing: more often than not that is a label that was mistyped.
    """
    configured = {server.name for server in record.settings.servers}
    now = objects_by_server(listed, configured)
    found: dict[str, list[AdapterChange]] = {}
    told = objects_by_server((o for listing in record.answers.listings for o in listing.objects), configured)
    # A run that could not list everything may be told the same again: it is not repeated at once.
    kind = ChangeKind.STILL_ABSENT if _has_gaps(record.answers.listings) else ChangeKind.SERVED
    for name, objects in now.items():
        if name not in told:
            places = " and ".join(sorted({this.namespace for this in objects}))
            found.setdefault(name, []).append(AdapterChange(f"{name} is found in namespace {places}", kind))
        elif _labels(objects) != _labels(told[name]):
            found.setdefault(name, []).append(AdapterChange(f"{name} has other labels", kind))
    if now:
        # A run counts no absence of a server that it holds because of another manager's objects.
        lost = record.decision.found.keys() - record.decision.aside.held.keys() - now.keys()
        for server in record.decision.known:
            if server.name in lost:
                held = memory.get(server.name, {})
                gone = changes(server, held, decide_server(server, held, [_GONE]))
                if not held:
                    gone = (AdapterChange(f"{server.name} is not listed any more", ChangeKind.STILL_ABSENT),)
                found.setdefault(server.name, []).extend(gone)
    return {name: tuple(these) for name, these in found.items() if these}


def address_changes(
    told: Mapping[str, Mapping[str, Located]],
    now: Mapping[str, Mapping[str, Located]],
    kept: Mapping[tuple[str, str], frozenset[str]],
) -> Iterator[AdapterChange]:
    """What a run would learn of addresses and names, by namespace and Service, that the last one did not.

    `kept` are the addresses that stay asked for until enough runs have missed them, so the runs go on.
    """
    for namespace in sorted(told.keys() & now.keys()):
        for name in sorted(now[namespace]):
            before, after = told[namespace].get(name, Located()), now[namespace][name]
            if before == after:
                if missing := kept.get((namespace, name), frozenset()).difference(after.addresses):
                    what = f"Service {namespace}/{name} is still without {', '.join(sorted(missing))}"
                    yield AdapterChange(what, ChangeKind.STILL_ABSENT)
                continue
            gone = set(after.addresses) < set(before.addresses)
            where = ", ".join(map(str, after.addresses)) or "no address"
            what = (
                f"Service {namespace}/{name} has {where}"
                if before.addresses != after.addresses
                else (f"the names of Service {namespace}/{name} are registered anew")
            )
            yield AdapterChange(what, ChangeKind.ABSENT if gone else ChangeKind.SERVED)


def stored_balancers(outputs: Mapping[str, Any]) -> Balancers:
    """The addresses that the outputs of a stack have; empty for a load balancer that had none yet."""
    found: dict[tuple[str, str], frozenset[str]] = {}
    for server in block(outputs, "servers"):
        namespace = text(block(outputs, "servers", server), "namespace") or ""
        for adapter in block(outputs, "servers", server, "adapters"):
            endpoints = block(outputs, "servers", server, "adapters", adapter, "endpoints")
            # Where there is no address inside the cluster, there is no Service yet.
            if endpoints.get("type") == "LoadBalancer" and text(endpoints, "internal"):
                external = endpoints.get("external") or ()
                addresses = frozenset(host_and_port(str(each))[0] for each in external)
                found[namespace, adapter_service(server, adapter)] = addresses
    return found


def balancer_changes(told: Balancers, now: Balancers) -> Iterator[AdapterChange]:
    """Which Services have other addresses now than the outputs of the stack."""
    for namespace, service in sorted(told.keys() & now.keys()):
        addresses = now[namespace, service]
        if addresses != told[namespace, service]:
            where = ", ".join(sorted(addresses)) or "no address"
            yield AdapterChange(f"Service {namespace}/{service} has {where}", ChangeKind.SERVED)


def kept_addresses(names: NameDecision) -> Mapping[tuple[str, str], frozenset[str]]:
    """The addresses that a run asks for, and would give up in the end, by namespace and Service."""
    return {
        (this.names.namespace, this.names.service): frozenset(this.located.addresses)
        for this in names.adapters.values()
        if this.names.keeps_address and this.limit < inf
    }


def _labels(objects: Sequence[ListedObject]) -> set[tuple[str, str, str, tuple[tuple[str, str], ...]]]:
    return {(o.kind, o.namespace, o.name, tuple(sorted(o.labels.items()))) for o in objects}


def _has_gaps(listings: Sequence[Listing]) -> bool:
    return any(listing.gaps for listing in listings)
