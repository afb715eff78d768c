"""Settings in Kubernetes' own words: passed through as written, and checked by the Kubernetes API."""

from typing import Annotated, Any

from pydantic import AfterValidator

KubernetesBlock = dict[str, Any]
"""A block in Kubernetes' own words."""


def _named(block: KubernetesBlock) -> KubernetesBlock:
    return _with_text(block, "name")


def _mounted(block: KubernetesBlock) -> KubernetesBlock:
    return _with_text(_named(block), "mountPath")


def _with_text(block: KubernetesBlock, key: str) -> KubernetesBlock:
    # These lists are merged by this key, before the Kubernetes API has seen them.
    if not isinstance(block.get(key), str) or not block[key]:
        raise ValueError(f"must have a {key}")
    return block


def _not_a_claim(block: KubernetesBlock) -> KubernetesBlock:
    # Kubernetes would silently mount the claim of that name in its place.
    if block["name"] in CLAIM_NAMES:
        raise ValueError(f"{block['name']!r} is the name of a claim; choose another")
    return block


CLAIM_NAMES = ("metadata", "content", "controlplane")
"""Names of the server's claims, in the order in which they are declared."""

EnvBlock = Annotated[KubernetesBlock, AfterValidator(_named)]
VolumeBlock = Annotated[KubernetesBlock, AfterValidator(_named), AfterValidator(_not_a_claim)]
MountBlock = Annotated[KubernetesBlock, AfterValidator(_mounted)]
