"""What is told of stacks, whatever it is written in: in a terminal, as JSON, Markdown or HTML.

An adapter, a server and a stack look the same wherever they are told of (the views). What came of an
operation is added here, and how things stand in `reports/status/status_model.py`.
"""

from datetime import datetime
from typing import Any, Literal

from dittoinfra.changes import Change, Changes
from dittoinfra.decide.explanation import Condition
from dittoinfra.json_document import Document, VersionedDocument
from dittoinfra.reports.verify_document import Verification
from dittoinfra.stacks.result import common_exit_code
from dittoinfra.stacks.shown_values import Difference
from dittoinfra.stacks.update_message import NotedChange


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
    properties: tuple[Difference, ...]
    """What changes in it."""


class NamesView(Document):
    """The names that clients find an adapter by."""

    backend: str
    """Who is asked to make the names resolve: `router-hosts` or `external-dns`."""
    hostname: str
    """The name."""
    aliases: tuple[str, ...]
    """Further names."""
    addresses: tuple[str, ...]
    """What they are asked to lead to; empty while no address is known."""


class EndpointsView(Document):
    """Where clients find an adapter, and how they mount it."""

    service_type: str | None
    """`LoadBalancer`, `NodePort` or `ClusterIP`; null where a state of an earlier version does not say."""
    internal: str | None
    """Inside the cluster."""
    external: tuple[str, ...]
    """Outside; empty until a load balancer has given an address."""
    awaits_address: bool
    """Whether a load balancer has not given an address yet; other types never have one."""
    node_port: int | None
    """The port on every node; null where it has none, or where that is known only after the run."""
    mount: tuple[str, ...]
    """Commands that mount it; `EXPORT`, `SHARE`, `USER` and `NODE` are for the reader to fill in. Empty where
    the type of the adapter is not known to be mounted in any way."""
    live: bool
    """Whether this is what the cluster says now; otherwise it is what the state remembers."""

    @property
    def address(self) -> str:
        """Where clients are sent, or what they wait for."""
        if self.awaits_address:
            return "no address outside yet"
        if self.external:
            return "\n".join(self.external)
        if self.node_port is not None:
            return f"any node, port {self.node_port}"
        return f"{self.internal} (inside the cluster)"


class AdapterView(Document):
    """One adapter of a server."""

    type: str
    """Its type, as the server calls it."""
    state: str | None
    """Its state: `serving`, `absent 1/3`, `pinned`, `kept`, `disabled`, `not running`, `removed`; null
    where it would not be declared."""
    endpoints: EndpointsView | None
    """Null where it has no Service."""
    names: NamesView | None
    """The names that its Service asks for, where it has any."""


class ServerView(Document):
    """One DittoFS server."""

    name: str
    """Its name."""
    namespace: str | None
    """Where its objects are; null where that is not known, or it is not configured any more."""
    outcome: str | None
    """How the poll ended: `answered`, `unreachable`, `denied`, `nonsense`, `missing`, `bootstrap`;
    `unconfigured` where it is not asked any more, and null without a poll."""
    why: str | None
    """Why there was no answer."""
    conditions: tuple[Condition, ...]
    """`APIReachable`, `AdaptersReady` and `Ready`."""


class StackView(Document):
    """One stack."""

    stack: str
    """Its name."""


class AdapterReport(AdapterView):
    """What became of one adapter."""

    port: int | None
    """The port that the server listens on; null where it is not known any more."""
    reason: str | None
    """Why its Service is changed; null where it is not."""
    change: Change
    """What becomes of its Service."""
    service: ObjectView
    """Its Service."""
    others: tuple[ObjectView, ...]
    """What else is declared for it and not left as it was."""
    pending: bool
    """Whether more is known of its addresses only after the run."""


class ServerReport(ServerView):
    """What became of one server."""

    change: Change
    """The most severe change of any of its objects."""
    adapters: tuple[AdapterReport, ...]
    """Its adapters, the removed ones first."""
    others: tuple[ObjectView, ...]
    """What else is declared for it and not left as it was."""


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


class RunSource(Document):
    """Where a run came from; null where that is not known."""

    command: str | None = None
    """As it was typed."""
    commit: str | None = None
    """The commit that was checked out."""
    branch: str | None = None
    """Its branch or tag."""
    author: str | None = None
    """The author of that commit."""
    ci_url: str | None = None
    """The page of the CI run."""


class HistoryEntry(Document):
    """One operation in a stack's history."""

    version: int | None
    """Its number; null where the backend gives none."""
    kind: str
    """`update`, `refresh`, `destroy` and so on."""
    result: str
    """`succeeded`, `failed` or `in-progress`."""
    started: str
    """Its beginning, in UTC."""
    at: str
    """Its end, in UTC; empty while it is under way."""
    title: str
    """What the run said of itself, or the title of the commit."""
    changes: tuple[NotedChange, ...]
    """What it was to change, and why; empty where the run did not note that."""
    resources: Changes
    """What became of its resources, as the engine counts them."""
    source: RunSource
    """Where the run came from."""


class StepView(Document):
    """One thing that the engine does to one resource."""

    operation: str
    """The engine's word: create, update, replace, delete and others."""
    type: str
    name: str
    urn: str
    properties: tuple[str, ...]
    """Paths that differ, as the provider names them."""


class StackReport(StackView):
    """What came of one stack."""

    operation: Literal["preview", "up", "refresh", "destroy"]
    """What was done."""
    result: Literal["succeeded", "failed", "cancelled", "unexpectedChanges"]
    """How it ended."""
    exit_code: int
    """Its exit code, one of Pulumi's."""
    seconds: float
    """How long it took."""
    changes: Changes
    """What becomes of its objects."""
    servers: tuple[ServerReport, ...]
    """Its servers."""
    others: tuple[ObjectView, ...]
    """What belongs to no server and is not left as it was."""
    steps: tuple[StepView, ...]
    """Everything that the engine does not leave as it was, its own resources included."""
    errors: tuple[str, ...]
    """What went wrong, line by line."""
    warnings: tuple[str, ...]
    """What needs attention."""
    notes: tuple[str, ...]
    """What else was said."""
    cluster: str | None
    """The address of its Kubernetes API; null where that is not known, or manifests are written."""
    outputs: dict[str, Any]
    """The stack's outputs, as far as the run came to tell them: secrets are masked, and null is what a
    preview cannot know."""

    @property
    def ok(self) -> bool:
        """Whether it came to its end."""
        return self.exit_code == 0


class Totals(Document):
    """Everything counted."""

    changes: Changes
    """What becomes of the objects of all stacks."""
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
    """Lines that need attention."""
    errors: int
    """Lines about what went wrong."""


class Report(VersionedDocument):
    """What came of an operation on one or more stacks: `--json` and `--report-json`."""

    made: datetime
    """When the report was made, in UTC."""
    operation: Literal["preview", "up", "refresh", "destroy"]
    """What was done to every stack."""
    planned: bool
    """Whether it tells what would happen, and nothing has."""
    ok: bool
    """Whether every stack came to its end."""
    exit_code: int
    """The exit code of the whole, that of the verification included."""
    totals: Totals
    """Everything counted."""
    removals: tuple[RemovalView, ...]
    """What goes, in all stacks: what a reviewer looks at first."""
    stacks: tuple[StackReport, ...]
    """Every stack, in the order in which they were named."""
    source: RunSource
    """Where the run came from."""
    plugins: tuple[str, ...]
    """What the engine said about its own plugins, each once."""
    verify: Verification | None = None
    """Whether clients reach what was brought up; null without `up --verify`, where a stack failed, and where
    verification was interrupted."""

    def verified(self, verification: Verification) -> "Report":
        """This report after its adapters were verified, with the exit code that follows."""
        code = common_exit_code((self.exit_code, verification.exit_code))
        return self.model_copy(update={"verify": verification, "exit_code": code})
