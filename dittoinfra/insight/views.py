"""What `status` and `adapters` tell, as documents: the JSON and its schema are these classes."""

from typing import Annotated

from pydantic import Field

from dittoinfra.decide.outlook import Action
from dittoinfra.document import Document


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


class Endpoints(Document):
    """Where clients find an adapter."""

    internal: str
    """Inside the cluster."""
    external: tuple[str, ...]
    """Outside; empty until a load balancer has given an address."""
    live: bool
    """Whether this is what the cluster says now; otherwise it is what the state remembers."""


class AdapterView(Document):
    """One adapter: what the API says, what the stack holds, what comes next, where it is."""

    stack: str
    server: str
    type: str
    """Adapter type."""
    api: Reported | None
    """What the API says; null where it misses the adapter, or gave no answer."""
    held: Held | None
    """What the stack holds; null where it holds nothing."""
    state: str | None
    """How it would stand after the next run: `serving`, `absent 1/3`, `pinned`, `kept`, `disabled`; null
    where it would not be declared."""
    next: Next
    endpoints: Endpoints | None
    """Null where it has no Service, in the state or in the cluster."""
    names: tuple[str, ...]
    """Host names of the Service, as the stack's last run left them."""


class LastRun(Document):
    """How a server stood when the stack was last updated."""

    at: str
    """End of that update."""
    answered: bool
    """Whether the server answered it."""


class Api(Document):
    """How a server's API answered just now."""

    outcome: str
    """`answered`, `unreachable`, `denied` or `nonsense`; `unconfigured` where nobody asks any more."""
    why: str | None
    """What went wrong."""
    last_run: LastRun | None
    """What the last update found: a silence is younger than the last run that was answered. Null where that
    is not known."""


class ConditionView(Document):
    """One condition of a server, as Kubernetes knows them."""

    type: str
    status: str
    reason: str
    message: str


class ServerView(Document):
    """One server of a stack."""

    name: str
    namespace: str | None
    """Null where the server is not configured any more."""
    api: Api
    conditions: tuple[ConditionView, ...]
    """`APIReachable`, `AdaptersReady` and `Ready`, as of now."""
    adapters: tuple[AdapterView, ...]


class Update(Document):
    """An operation in the stack's history."""

    kind: str
    """`update`, `refresh`, `destroy` and so on."""
    result: str
    """`succeeded`, `failed` or `in-progress`."""
    at: str
    """Its end."""


class NextChanges(Document):
    """How many resources the next run would touch."""

    create: int
    update: int
    delete: int
    replace: int

    @property
    def any(self) -> bool:
        """Whether it would touch one."""
        return bool(self.create or self.update or self.delete or self.replace)


class StackView(Document):
    """One stack."""

    stack: str
    last_operation: Update | None
    """Null where the backend remembers none."""
    updating: bool
    """Whether the backend says that an operation is under way. Backends without a service do not tell."""
    pending: tuple[str, ...]
    """Operations that were interrupted, and whose end the engine does not know."""
    next_changes: NextChanges | None
    """What the next run would change; null where it would stop."""
    stopped: tuple[str, ...]
    """Why the next run would stop before it declares anything, or would fail."""
    cluster_unknown: str | None
    """Why endpoints come from the state and not from the cluster."""
    servers: tuple[ServerView, ...]


class Failure(Document):
    """A stack about which nothing could be told."""

    stack: str
    errors: tuple[str, ...]
    exit_code: Annotated[int, Field(ge=1)]
    """The pulumi CLI's."""


class StatusDocument(Document):
    """`dittoinfra status --json`."""

    stacks: tuple[StackView, ...]
    failures: tuple[Failure, ...]


class AdaptersDocument(Document):
    """`dittoinfra adapters --json`."""

    adapters: tuple[AdapterView, ...]
    failures: tuple[Failure, ...]
