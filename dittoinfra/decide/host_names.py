"""Host names as DNS knows them: lower case, punycode, and what RFC 1123 allows. Pure."""

import re
from ipaddress import ip_address

import idna

LONGEST_NAME = 253
LONGEST_LABEL = 63


class InvalidHostNameError(ValueError):
    """Says why a text is no host name, in words that follow the text."""


def host_name(text: str) -> str:
    """The name in the form that is looked up, or `InvalidHostNameError`."""
    try:
        # What people may write for the same name: capitals, wide letters, other scripts' full stops.
        mapped = idna.uts46_remap(text, std3_rules=False)
    except idna.IDNAError as error:
        raise InvalidHostNameError(_words(error)) from None
    if not mapped:
        raise InvalidHostNameError("is empty")
    if mapped.endswith("."):
        raise InvalidHostNameError("ends in a dot; it is a full name without one")
    if mapped.startswith("*."):
        raise InvalidHostNameError("is a wildcard; an adapter is a single host")
    if _is_address(mapped):
        raise InvalidHostNameError("is an IP address; an address goes into dns.ip")
    name = ".".join(map(_label, mapped.split(".")))
    if len(name) > LONGEST_NAME:
        raise InvalidHostNameError(f"has {len(name)} characters; {LONGEST_NAME} are allowed")
    # Readers of addresses take short and hexadecimal forms as well, such as 10.1 and 0x7f.1.
    if re.search(r"(^|\.)(\d+|0x[0-9a-f]*)$", name):
        raise InvalidHostNameError("reads as an IP address: the last part of a name is no number")
    return name


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
    if len(label) > LONGEST_LABEL:
        raise InvalidHostNameError(f"has a part of {len(label)} characters; {LONGEST_LABEL} are allowed")
    return label


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _words(error: idna.IDNAError) -> str:
    return f"is no internationalized name: {' '.join(str(error).split())}"
