"""What a report shows, whatever it is written in; also the schema of the JSON report."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from dittoinfra.document import Document


class Change(StrEnum):
    """What becomes of an object."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    """Deleted and created anew: what the cluster gave the old one, such as an address, is lost."""
    DELETE = "delete"
    SAME = "same"


class PropertyChange(Document):
    """One changed property of an object; a secret's values are hidden."""

    path: str
    """Where in the object, as the provider names it: `spec.ports[0].port`."""
    before: str | None
    """Null where there was none."""
    after: str | None
    """Null where there is none any more."""


class ObjectView(Document):
    """A Kubernetes object."""

    kind: str
    """Its kind."""
    name: str
    """Its name in the cluster."""
    namespace: str | None
    """Where in the cluster it is."""
    change: Change
    """What becomes of it."""
    failed: bool
    """Whether the engine tried, and could not."""
    properties: tuple[PropertyChange, ...]
    """What changes in it."""


class NamesView(Document):
    """The names that clients find an adapter by."""

    backend: str
    """Who makes the names resolve: `router-hosts` or `external-dns`."""
    hostname: str
    """The name."""
    aliases: tuple[str, ...]
    """Further names."""
    addresses: tuple[str, ...]
    """What they resolve to; empty while no address is known."""


class AdapterView(Document):
    """One adapter of a server."""

    type: str
    """Its type, as the server calls it."""
    state: str
    """How it stands: `serving`, `absent 1/3`, `pinned`, `kept`, `disabled`, `removed`."""
    port: int | None
    """The port that the server listens on; null where it is not known any more."""
    reason: str | None
    """Why it is removed; null where it is not."""
    change: Change
    """What becomes of its Service."""
    service: ObjectView
    """Its Service."""
    others: tuple[ObjectView, ...]
    """What else is declared for it and not left as it was."""
    internal: str | None
    """Where it is found inside the cluster."""
    external: tuple[str, ...]
    """Where it is found from outside."""
    pending: bool
    """Whether more is known of its addresses only after the run."""
    names: NamesView | None
    """Its names, where it has any."""


class ConditionView(Document):
    """How a server stands, as Kubernetes would say it."""

    type: str
    """`APIReachable`, `AdaptersReady` or `Ready`."""
    status: str
    """`True` or `False`."""
    reason: str
    """Why, in one word."""
    message: str
    """Why, for people."""


class ServerView(Document):
    """One DittoFS server."""

    name: str
    """Its name."""
    namespace: str | None
    """Where its objects are; null where the run did not come so far."""
    outcome: str | None
    """How the poll ended: `answered`, `unreachable`, `denied`, `nonsense`, `bootstrap`; null without one."""
    why: str | None
    """Why there was no answer."""
    change: Change
    """The gravest thing that becomes of anything of it."""
    adapters: tuple[AdapterView, ...]
    """Its adapters, the removed ones first."""
    others: tuple[ObjectView, ...]
    """What else is declared for it and not left as it was."""
    conditions: tuple[ConditionView, ...]
    """How it stands."""


class Counts(Document):
    """Kubernetes objects by what becomes of them."""

    creates: int = 0
    """Objects that come."""
    updates: int = 0
    """Objects that change."""
    replaces: int = 0
    """Objects that are deleted and made anew."""
    deletes: int = 0
    """Objects that go."""


class RemovalView(Document):
    """Something that is deleted, or deleted and made anew."""

    stack: str
    """In which stack."""
    server: str | None
    """Of which server."""
    adapter: str | None
    """Of which adapter."""
    object: ObjectView
    """What it is."""
    reason: str | None
    """Why; null where the engine alone knows."""


class StackView(Document):
    """What came of one stack."""

    name: str
    """Its name."""
    operation: Literal["preview", "up", "refresh", "destroy"]
    """What was done."""
    ok: bool
    """Whether it came to its end."""
    exit_code: int
    """Its exit code, one of Pulumi's."""
    seconds: float
    """How long it took."""
    counts: Counts
    """What becomes of its objects."""
    servers: tuple[ServerView, ...]
    """Its servers."""
    others: tuple[ObjectView, ...]
    """What belongs to no server and is not left as it was."""
    errors: tuple[str, ...]
    """What went wrong, line by line."""
    warnings: tuple[str, ...]
    """What somebody should look at."""
    notes: tuple[str, ...]
    """What else was said."""


class Totals(Counts):
    """Everything counted."""

    stacks: int
    """Stacks in the report."""
    failed: int
    """Stacks that did not come to their end."""
    servers: int
    """Servers in all of them."""
    unanswered: int
    """Servers whose API did not answer."""
    adapters: int
    """Adapters that are declared."""
    warnings: int
    """Lines that somebody should look at."""
    errors: int
    """Lines about what went wrong."""


class Report(Document):
    """What came of an operation on one or more stacks."""

    version: Literal[1] = 1
    """Goes up when a reader has to change."""
    made: datetime
    """When the report was made, in UTC."""
    operation: Literal["preview", "up", "refresh", "destroy"]
    """What was done to every stack."""
    planned: bool
    """Whether it tells what would happen, and nothing has."""
    ok: bool
    """Whether every stack came to its end."""
    exit_code: int
    """The exit code of the whole."""
    totals: Totals
    """Everything counted."""
    removals: tuple[RemovalView, ...]
    """What goes, in all stacks: what a reviewer looks at first."""
    stacks: tuple[StackView, ...]
    """Every stack, in the order in which they were named."""
