"""Kubernetes' rules for names, implemented independently of the product."""

import re


def is_dns_1035_label(name: str) -> bool:
    """What a Service may be called."""
    return len(name) <= 63 and re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", name) is not None


def is_iana_service_name(name: str) -> bool:
    """What a port may be called: IANA_SVC_NAME."""
    return (
        1 <= len(name) <= 15
        and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) is not None
        and any(character.isalpha() for character in name)
    )


def is_label_value(value: str) -> bool:
    """What a label may say."""
    return (
        len(value) <= 63 and re.fullmatch(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?", value) is not None
    )
