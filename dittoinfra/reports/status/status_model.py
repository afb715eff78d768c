"""What `status`, `adapters`, `drift`, `hosts` and `explain` print as JSON; the schemas are made of this."""

from enum import StrEnum

from dittoinfra.changes import Changes
from dittoinfra.decide.explanation import Action, Condition
from dittoinfra.decide.host_records import HostRecord
from dittoinfra.json_document import Document, VersionedDocument
from dittoinfra.reports.failure import Failure
from dittoinfra.reports.result_model import AdapterView, HistoryEntry, ServerView, StackView
from dittoinfra.settings.provenance import Explained


class Reported(Document):
    """An adapter in the API's answer."""

    enabled: bool
    """Whether an administrator switched it on."""
    running: bool
    """Whether the server runs it."""
    port: int
    """Where it listens."""


class Held(Document):
    """An adapter in the stack's state."""

    port: int | None
    """Where its Service leads; null where the state has lost it."""
    absences: int
    """Answered polls in a row that missed it."""


class Next(Document):
    """What the next run would do about an adapter's Service."""

    action: Action
    """`nothing`: there is no Service and none is made; `stop`: the run would stop because of it."""
    why: str
    """The reason, in words."""


class AdapterStatus(AdapterView):
    """One adapter: what the API says, what the stack holds, what comes next, whether clients can connect."""

    stack: str
    server: str
    api: Reported | None
    """What the API says; null where it misses the adapter, or gave no answer."""
    held: Held | None
    """What the stack holds; null where it holds nothing."""
    next: Next
    ready: Condition | None
    """Whether a client can connect, and if not, which hop is missing; null where the next run would not
    declare it."""


class LastRun(Document):
    """What the last update of the stack found of a server."""

    at: str
    """End of that update."""
    answered: bool
    """Whether the server answered it."""


class Version(Document):
    """Which version of DittoFS a server runs. Its API does not tell it."""

    number: str
    """`0.31.1`; `before 0.28.0` or `unknown` where nothing tells more."""
    source: str
    """What tells it, or why nothing does: the image of its Pod or, where none runs, of its StatefulSet."""
    objection: str | None
    """What is wrong with it, and what to do about it; null where nothing is."""


class ServerStatus(ServerView):
    """One server of a stack, as of now: `Ready` means that clients can connect."""

    version: Version | None
    """Null where the server is not configured any more."""
    last_run: LastRun | None
    """What the last update found: a silence is younger than the last run that was answered. Null where that
    is not known."""
    adapters: tuple[AdapterStatus, ...]


class StackStatus(StackView):
    """The status of one stack."""

    last_operation: HistoryEntry | None
    """The newest operation; null where the backend remembers none."""
    last_change: HistoryEntry | None
    """The newest one that changed something, with its reasons; null where none is among the latest."""
    updating: bool
    """Whether the backend says that an operation is under way. Backends without a service do not tell."""
    pending: tuple[str, ...]
    """Operations that were interrupted, and whose end the engine does not know."""
    next_changes: Changes | None
    """How many objects the next run would change; null where it would stop, or hold everything as it is."""
    stopped: tuple[str, ...]
    """Why the next run would stop before it declares anything, or would fail."""
    holds: bool
    """Whether it would succeed and change nothing for these reasons (`onRefusal: hold`), and not stop."""
    cluster_unknown: str | None
    """Why endpoints come from the state and not from the cluster."""
    servers: tuple[ServerStatus, ...]
    ready: bool
    """Whether clients can connect to every adapter of every server. A stack that writes manifests has no
    cluster to ask, and is ready as far as its servers are."""


class StatusDocument(VersionedDocument):
    """`dittoinfra status --json`."""

    stacks: tuple[StackStatus, ...]
    failures: tuple[Failure, ...]


class AdaptersDocument(VersionedDocument):
    """`dittoinfra adapters --json`."""

    adapters: tuple[AdapterStatus, ...]
    failures: tuple[Failure, ...]


class StackHistory(StackView):
    """What was done to one stack, the newest first."""

    entries: tuple[HistoryEntry, ...]
    """Operations that changed something, or did not succeed."""


class HistoryDocument(VersionedDocument):
    """`dittoinfra history --json`."""

    stacks: tuple[StackHistory, ...]
    failures: tuple[Failure, ...]


class HostsDocument(VersionedDocument):
    """`dittoinfra hosts --json`."""

    stack: str
    """Name of the stack."""
    hosts: tuple[HostRecord, ...]
    """Ordered by name."""


class ExplainDocument(VersionedDocument):
    """`dittoinfra explain --json`."""

    stack: str
    """Name of the stack."""
    server: str
    """Name of the server."""
    adapter: str | None
    """Type of the adapter; null where the whole server is explained."""
    values: tuple[Explained, ...]
    """In reading order."""


class Kind(StrEnum):
    """What caused a difference."""

    INTENT = "intent"
    CLUSTER = "cluster"
    CONFIGURATION = "configuration"


class Finding(Document):
    """One difference, or one thing that could not be checked."""

    kind: Kind
    subject: str
    """What it is about: an adapter, an object, a server, or the stack."""
    text: str
    """What is different, or why it cannot be told."""
    path: str | None = None
    """The field of an object, where it is about one."""
    before: str | None = None
    """Its value as the stack left it, a secret hidden; null where there was none."""
    after: str | None = None
    """Its value now, a secret hidden; null where there is none."""
    manager: str | None = None
    """Who wrote it: the name of a field manager; null where the cluster does not know."""
    at: str | None = None
    """When that manager last wrote to the object."""
    next: str | None = None
    """What to do about it; null where there is nothing to do."""


class StackDrift(Document):
    """What was found about one stack."""

    stack: str
    drift: tuple[Finding, ...] = ()
    information: tuple[Finding, ...] = ()
    """What others did that is no drift, and is left as it is."""
    unknown: tuple[Finding, ...] = ()
    """What could not be checked. A server that gives no answer is no drift."""
    errors: tuple[str, ...] = ()
    """Why the stack could not be checked at all."""
    exit_code: int = 0
    """0 without drift, 7 with drift, and the pulumi CLI's where something failed."""


class DriftDocument(VersionedDocument):
    """`dittoinfra drift --json`."""

    stacks: tuple[StackDrift, ...]
