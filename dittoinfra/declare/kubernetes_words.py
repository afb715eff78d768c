"""Blocks in Kubernetes' own words, where the provider's SDK would have its own classes."""

from collections.abc import Mapping, Sequence
from typing import Any


def in_kubernetes_words(
    block: Mapping[str, Any] | Sequence[Mapping[str, Any]],
) -> Any:  # noqa: ANN401  (the SDK has no type for it)
    """The block for the SDK: it takes such maps wherever it takes a class, though its types do not say so.

    Nothing is declared for an empty one: Kubernetes tells an empty block from none, and people mean none.
    """
    return block or None
