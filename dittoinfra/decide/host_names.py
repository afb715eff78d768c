"""Host names in DNS form, what a DNS backend reads of them, and what is known of what it did. Pure."""

import re
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from ipaddress import ip_address

import idna

from dittoinfra.decide.router_hosts import ROUTER_HOSTS
from dittoinfra.model import Addresses, HostNames, Located, RememberedNames
from dittoinfra.settings import DnsSettings

EXTERNAL_DNS = "external-dns.kubernetes.io", "external-dns.alpha.kubernetes.io"
"""ExternalDNS reads the first prefix since v0.22, the second before; equal values make one record."""

MOST_ALIASES = 50
"""Aliases that router-hosts takes for one host name; with more it does nothing for the Service."""

_LONGEST_NAME = 253
_LONGEST_LABEL = 63


class HostState(StrEnum):
    """The state of a name."""

    REQUESTED = "HostRequested"
    """Its Service asks for it and has an address; whether it was made is not known."""
    REGISTERED = "HostRegistered"
    """The backend says that it has an entry for it, as only router-hosts does."""
    PINNED = "HostPinned"
    """Its load balancer has lost an address, which stays asked for."""
    PENDING = "PendingLoadBalancer"
    UNRESOLVED = "Unresolved"
    """Its load balancer is known by a name that leads nowhere."""
    MISSING = "ServiceMissing"
    """The stack declared its Service, and it is not in the cluster."""


class InvalidHostNameError(ValueError):
    """Why a text is not a host name; the message continues the text."""


def host_name(text: str) -> str:
    """The name in the form that is looked up, or `InvalidHostNameError`."""
    try:
        # Other spellings of the same name: capitals, full-width letters, full stops of other scripts.
        mapped = idna.uts46_remap(text, std3_rules=False)
    except idna.IDNAError as error:
        raise InvalidHostNameError(_words(error)) from None
    if not mapped:
        raise InvalidHostNameError("is empty")
    if mapped.endswith("."):
        raise InvalidHostNameError("ends in a dot; it is a full name without one")
    if mapped.startswith("*."):
        raise InvalidHostNameError("is a wildcard; an adapter is a single host")
    if is_ip_address(mapped):
        raise InvalidHostNameError("is an IP address; an address goes into dns.ip")
    name = ".".join(map(_label, mapped.split(".")))
    if len(name) > _LONGEST_NAME:
        raise InvalidHostNameError(f"has {len(name)} characters; {_LONGEST_NAME} are allowed")
    # Address parsers accept short and hexadecimal forms as well, such as 10.1 and 0x7f.1.
    if re.search(r"(^|\.)(\d+|0x[0-9a-f]*)$", name):
        raise InvalidHostNameError("reads as an IP address: the last part of a name is no number")
    return name


def is_ip_address(text: str) -> bool:
    """Whether a text is an IPv4 or IPv6 address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def dns_annotations(names: HostNames, dns: DnsSettings, addresses: Addresses = ()) -> dict[str, str]:
    """The annotations for the backend; an unset field adds none. `addresses` are those that a pin keeps."""
    if names.kind == "HostMapping":
        return {}
    if names.backend == "router-hosts":
        values = {
            "enabled": "true",
            "hostname": names.hostname,
            "ip-address": names.ip,
            "aliases": ",".join(names.aliases),
        }
        return {f"{ROUTER_HOSTS}/{key}": value for key, value in values.items() if value}
    ttl = None if dns.ttl is None else str(dns.ttl)
    target = ",".join(addresses) if names.keeps_address else names.ip
    values = {"hostname": ",".join(names.all), "target": target, "ttl": ttl}
    prefixes = EXTERNAL_DNS if dns.annotation_prefix is None else (dns.annotation_prefix,)
    return {f"{prefix}/{key}": value for prefix in prefixes for key, value in values.items() if value}


def as_read(names: HostNames, service: Located) -> Located:
    """The addresses of a Service that the backend uses, and the names that it says it has."""
    if names.backend == "external-dns":
        return Located((names.ip,) if names.ip else tuple(sorted(service.addresses)))
    # It takes the first IP address only, and does not look up the names of load balancers.
    given = (names.ip,) if names.ip else tuple(filter(is_ip_address, service.addresses))[:1]
    return Located(given, tuple(name for name in names.all if name in service.registered))


def believed(names: HostNames, seen: Located, before: RememberedNames | None, limit: float) -> Located:
    """What is asked for, where a Service was read: an address that is gone for a moment is not lost.

    The absence rule, for addresses: `limit` is how many runs in a row must miss one.
    """
    if before is None or not _same_balancer(names, before.names):
        return seen
    counts = {
        lost: before.located.blanks.get(lost, 0) + 1 for lost in vanished(seen, before.located.addresses)
    }
    blanks = {lost: count for lost, count in counts.items() if count < limit}
    if not blanks:
        return seen
    kept = tuple(this for this in before.located.addresses if this in seen.addresses or this in blanks)
    return Located(kept, seen.registered, blanks)


def vanished(seen: Located, known: Addresses) -> Addresses:
    """Known addresses that a load balancer has no more; none where it has got another one instead."""
    if not set(seen.addresses) <= set(known):
        return ()
    return tuple(address for address in known if address not in seen.addresses)


def remembered(names: HostNames, seen: Located, before: RememberedNames | None) -> Located:
    """The kept addresses without another count: no Service was read, or this command has counted already."""
    if before is None or not before.located.addresses or not _same_balancer(names, before.names):
        return seen
    return replace(before.located, registered=seen.registered)


def host_states(names: HostNames, read: Located) -> Mapping[str, HostState]:
    """The state of each name, by what `as_read` gives."""
    if not read.addresses:
        return dict.fromkeys(names.all, HostState.PENDING)
    if read.blanks:
        return dict.fromkeys(names.all, HostState.PINNED)
    made = read.registered
    return {name: HostState.REGISTERED if name in made else HostState.REQUESTED for name in names.all}


def _same_balancer(names: HostNames, before: HostNames) -> bool:
    """Whether an address that is remembered is one that a load balancer has given this Service."""
    here, there = ((each.namespace, each.service, each.backend, each.ip) for each in (names, before))
    return names.keeps_address and here == there


def _label(label: str) -> str:
    if not label:
        raise InvalidHostNameError("has nothing between two dots, or before the first")
    if not label.isascii() or label.startswith("xn--"):
        try:
            label = idna.alabel(label).decode()
        except idna.IDNAError as error:
            raise InvalidHostNameError(_words(error)) from None
    if re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", label) is None:
        raise InvalidHostNameError(f"has {label!r} in it; a part is letters, digits, and '-' between them")
    if len(label) > _LONGEST_LABEL:
        raise InvalidHostNameError(f"has a part of {len(label)} characters; {_LONGEST_LABEL} are allowed")
    return label


def _words(error: idna.IDNAError) -> str:
    return f"is no internationalized name: {' '.join(str(error).split())}"
