"""The kinds of runs that are killed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.chaos.crashes.site import Site

FOUR = {"nfs": 12049, "smb": 12445, "s3": 9000, "ftp": 2121}
MOVED = {"nfs": 13049, "smb": 13445, "s3": 9000, "webdav": 8081, "sftp": 2022}


@dataclass(frozen=True, slots=True)
class Scene:
    """One kind of run."""

    name: str
    prepare: Callable[[Site], None]
    adapters: Mapping[str, int]
    """The adapters served, and so the Services in the end, by target port."""
    writes: int
    """How many writes the run makes in the cluster."""
    questions: int
    """A lower bound of its reads."""


def _first(site: Site) -> None:
    site.configure()
    site.serve(FOUR)


def _later(site: Site) -> None:
    _first(site)
    site.up()
    site.give_addresses()
    site.serve(MOVED)


def _deployment(site: Site) -> None:
    # The namespace is created by the stack as well.
    site.namespace = f"{site.namespace}-made"
    site.configure(
        deploy={"createNamespace": True, "storage": {"content": {"size": "1Gi"}}},
        networkPolicy={"mode": "enabled"},
    )
    site.encrypt_secrets()
    site.serve({"nfs": 12049, "smb": 12445})


FIRST = Scene("the first update", _first, FOUR, writes=4, questions=20)
LATER = Scene("moves, new ones and one that goes", _later, MOVED, writes=5, questions=23)
DEPLOYMENT = Scene("a whole server", _deployment, {"nfs": 12049, "smb": 12445}, writes=12, questions=60)
SCENES = (FIRST, LATER, DEPLOYMENT)
