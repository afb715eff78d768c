"""Names as the annotations that their backend reads. Pure."""

from collections.abc import Iterator

from dittoinfra.model import HostNames
from dittoinfra.settings import DnsSettings

ROUTER_HOSTS = "router-hosts.fzymgc.house"
EXTERNAL_DNS = "external-dns.alpha.kubernetes.io"


def dns_annotations(names: HostNames, dns: DnsSettings) -> dict[str, str]:
    """Exactly what the backend is told, nothing for what is not set."""
    if names.backend == "router-hosts":
        told = {
            "enabled": "true",
            "hostname": names.hostname,
            "ip-address": names.ip,
            "aliases": ",".join(names.aliases),
            "tags": ",".join(dns.tags),
            "grace-period": None if names.grace_period is None else str(names.grace_period),
        }
        return {f"{ROUTER_HOSTS}/{key}": value for key, value in told.items() if value}
    told = {
        "hostname": ",".join(names.all),
        "target": names.ip,
        "ttl": None if dns.ttl is None else str(dns.ttl),
    }
    return {f"{EXTERNAL_DNS}/{key}": value for key, value in told.items() if value}


def unsupported(dns: DnsSettings) -> Iterator[str]:
    """Settings that the backend has no word for."""
    if dns.backend == "router-hosts":
        if dns.ttl is not None:
            yield "ttl"
        return
    if dns.tags:
        yield "tags"
    if dns.grace_period is not None:
        yield "gracePeriod"
