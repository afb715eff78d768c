"""Settings of names: under which host names an adapter is found, and who puts them into DNS."""

import re
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from dittoinfra.model import DnsBackend
from dittoinfra.settings.base import Settings

PLACEHOLDERS = ("server", "type", "namespace")
"""What a template may name: of the adapter, its server, its type and its namespace."""

LONGEST_GRACE_PERIOD = 365 * 24 * 3600
LONGEST_TTL = 2**31 - 1
"""DNS itself knows none that is longer (RFC 2181)."""

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def filled(template: str, values: Mapping[str, str]) -> str:
    """The template with its placeholders replaced."""
    return _PLACEHOLDER.sub(lambda found: values[found[1]], template)


def _template(value: str) -> str:
    known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
    for name in _PLACEHOLDER.findall(value):
        if name not in PLACEHOLDERS:
            raise ValueError(f"InvalidHostname: {{{name}}} is no placeholder; known are {known}")
    if re.search("[{}]", _PLACEHOLDER.sub("", value)):
        raise ValueError(f"InvalidHostname: has a brace without its other half; placeholders are {known}")
    return value


def _address(value: str) -> str:
    try:
        address = ip_address(value)
    except ValueError:
        address = None
    # A zone means something on one machine only, and nobody answers at the other two.
    if address is None or "%" in value or address.is_unspecified or address.is_multicast:
        raise ValueError(
            "InvalidIPAddress: must be the address of a host, such as 192.0.2.10 or 2001:db8::10"
        )
    return str(address)


def _grace_period(value: object) -> object:
    whole = value if isinstance(value, int) and not isinstance(value, bool) else -1
    if not 0 <= whole <= LONGEST_GRACE_PERIOD:
        raise ValueError("InvalidGracePeriod: must be a whole number of seconds, at most a year of them")
    return value


def _tag(value: str) -> str:
    # They end up in one annotation, with commas between them.
    if re.fullmatch(r"[^\s,]+", value) is None:
        raise ValueError("must be text without spaces and commas, such as env:prod")
    return value


HostTemplate = Annotated[str, AfterValidator(_template)]
IpAddress = Annotated[str, AfterValidator(_address)]
GracePeriod = Annotated[int, Field(ge=0, le=LONGEST_GRACE_PERIOD), BeforeValidator(_grace_period)]
Tag = Annotated[str, AfterValidator(_tag)]


class DnsSettings(Settings):
    """Names for an adapter's Service, as annotations for a controller that puts them into DNS. They belong to
    the first Service where UDP is split off. `dns: null` gives no names, whatever a farther layer says."""

    backend: DnsBackend = "router-hosts"
    """Which controller reads the annotations."""
    hostname: HostTemplate | None = None
    """Host name, such as `{type}.{server}.example.com`: `{server}`, `{type}` and `{namespace}` stand for the
    adapter's own. Some layer must give it. Letters beyond ASCII become punycode."""
    aliases: list[HostTemplate] = Field(default_factory=list)
    """Further names for the same adapter, with the same placeholders."""
    tags: list[Tag] = Field(default_factory=list)
    """Tags of the entry (router-hosts)."""
    ip: IpAddress | None = None
    """Address to register: required for a NodePort; for a LoadBalancer, instead of the one it is given."""
    grace_period: GracePeriod | None = None
    """Seconds for which the entry outlives its Service (router-hosts); unset leaves it to router-hosts."""
    ttl: Annotated[int, Field(ge=1, le=LONGEST_TTL)] | None = None
    """Seconds for which others may remember the answer (external-dns); unset leaves it to ExternalDNS."""
