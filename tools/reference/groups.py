"""The order of the blocks on the page, and the titles of those that occur at several paths."""

from collections.abc import Iterable, Iterator

from pydantic import BaseModel

from dittoinfra.settings.base import SecretKey
from dittoinfra.settings.deploy import Claim
from dittoinfra.settings.deploy_api import Route
from dittoinfra.settings.problems import NAMESPACE
from dittoinfra.settings.selectors import IpBlock, LabelRequirement, LabelSelector, Peer
from dittoinfra.settings.server import Layer
from dittoinfra.settings.stack import StackSettings
from tools.reference.blocks import Block

TITLES: dict[type[BaseModel], str] = {
    Layer: "The stack or one server",
    StackSettings: "The stack alone",
    Route: "A route to the API",
    SecretKey: "A key of a Secret",
    Claim: "A volume claim",
    Peer: "A peer of a network policy",
    IpBlock: "A range of addresses",
    LabelSelector: "A label selector",
    LabelRequirement: "A requirement of a label selector",
}
"""Blocks that stand in several places, or that others extend."""

_SHARED = "Blocks that are used in several places"
_GROUPS = (
    ("Keys of the stack", ("", "brake", "serverSecrets", "selectors")),
    ("Keys for asking a server", ("api",)),
    ("Keys of adapters and their Services", ("adapters",)),
    ("Keys of network policies", ("networkPolicy",)),
    ("Keys of servers", ("servers[]", "serversFrom")),
    ("Keys of a deployed server", ("servers[].deploy",)),
    ("Keys of a deployed server's own configuration", ("servers[].deploy.config",)),
    (
        "Keys of a deployed server's storage and database",
        ("servers[].deploy.storage", "servers[].deploy.database"),
    ),
    ("Keys of a deployed server's API and metrics", ("servers[].deploy.api", "servers[].deploy.metrics")),
)
"""A group and the paths whose blocks it has; a longer path counts before a shorter one."""


def title(block: Block) -> str:
    """The heading of a block."""
    return TITLES.get(block.model) or f"`{min(block.paths, key=len)}`"


def grouped(blocks: Iterable[Block]) -> Iterator[tuple[str, list[Block]]]:
    """Every block once, in its group."""
    groups: dict[str, list[Block]] = {name: [] for name in (*(name for name, _ in _GROUPS), _SHARED)}
    for block in blocks:
        groups[_group(block)].append(block)
    yield from groups.items()


def _group(block: Block) -> str:
    if block.model in TITLES and block.model not in (Layer, StackSettings, Route):
        return _SHARED
    first = min(block.paths, key=len, default="").removeprefix(f"{NAMESPACE}:")
    path = "" if block.model is Layer else first
    starts = ((start, name) for name, paths in _GROUPS for start in paths if path.startswith(start))
    return max(starts, key=lambda found: len(found[0]))[1]
