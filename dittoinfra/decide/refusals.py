"""Reasons to stop a run before anything is declared.

Refusal
├── ServerUnanswered   no usable answer, and the server says `onUnreachable: fail`
├── PortLost           an adapter must be kept, but the state no longer knows its port
├── NameTaken          two adapters would get the same Service
├── NotHeld            a found server that can be neither declared nor left as it is
├── NameRefused        an adapter cannot have the names that its `dns` asks for
├── WorkloadReplaced   a change for which Kubernetes would need another StatefulSet
├── WorkloadRemoved    a deployed server whose StatefulSet would go
├── ImageRefused       a change of a server's image that would lose data
├── AdoptionImpossible an object that exists cannot become what is declared
├── ExistsAlready      objects of other managers, and their server does not say `adopt: true`
├── HeldElsewhere      an object of another resource of the same program, which would delete it
├── ForeignObject      an object of other managers in the place of one that the run would delete
├── UnreadableObject   objects to create or to delete that could not be read
├── BeingDeleted       a declared object is being deleted
├── NamespaceMissing   objects to create, and no namespace for them
├── InUse              clients would be cut off, and the stack says `protectInUse`
├── UploadsNotDrained  a server would restart before its uploads are done, and the stack says `drainUploads`
├── BrakePulled        too many removals at once, the last adapter, or one that moves to another namespace
├── ConfigurationLost  the stack holds adapters, and the configuration names no servers at all
├── NoServers          a new stack whose configuration names no servers
└── LoginRefused       a new stack, and every one of its servers refuses the login
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from dittoinfra.exitcodes import ExitCode
from dittoinfra.model import ConfigurationSource, Denied, Nonsense, Reason, Removal, Unanswered
from dittoinfra.object_model import OtherHolder
from dittoinfra.settings.problems import NAMESPACE, path_of
from dittoinfra.settings.setting_words import STACK_WORDS, SettingWords
from dittoinfra.settings.stack import Brake
from dittoinfra.urns import stack_and_project


class Refusal:
    """A reason to stop a run; as text, one line for the user."""

    __slots__ = ()
    exit_code: ClassVar[ExitCode] = ExitCode.GENERIC
    """What a run ends with that stops for this reason alone."""

    def worded(self, words: SettingWords) -> str:  # noqa: ARG002 - most reasons name no setting of a stack
        """The line with settings named as `words` names them."""
        return str(self)


@dataclass(frozen=True, slots=True)
class ServerUnanswered(Refusal):
    """No usable answer from a server that must answer."""

    server: str
    outcome: Unanswered

    def __str__(self) -> str:
        return (
            f"{self.server}: {self.outcome}; refused, because onUnreachable is fail "
            "(`onUnreachable: keep` goes on without its answer)"
        )


@dataclass(frozen=True, slots=True)
class PortLost(Refusal):
    """The Service of an adapter that must be kept has lost its data port in the cluster."""

    server: str
    type: str

    def __str__(self) -> str:
        pin = f"`adapters: {{pinned: [{{type: {self.type}, port: PORT}}]}}`"
        return (
            f"{self.server}: {self.type} must be kept, but the state's Service has lost its port, and "
            "without it the Service would go; restore the port in the cluster and run `pulumi refresh`, "
            f"or pin it: {pin}"
        )


@dataclass(frozen=True, slots=True)
class NameTaken(Refusal):
    """Two adapters would share one Service."""

    service: str
    first: str
    second: str

    def __str__(self) -> str:
        return (
            f"{self.second}: its Service would be named {self.service}, as that of {self.first} is; "
            "rename or unpin one of them"
        )


NameFault = Literal[
    "InvalidServiceType",
    "MissingHostname",
    "MissingIPAddress",
    "InvalidHostname",
    "InvalidConfiguration",
    "HostnameTaken",
    "UnsupportedSetting",
    "AnnotationTaken",
]
"""What is wrong with an adapter's names, in the terms of router-hosts where it has one."""


@dataclass(frozen=True, slots=True)
class NameRefused(Refusal):
    """An adapter that cannot have the names its settings ask for."""

    exit_code = ExitCode.CONFIGURATION
    adapter: str
    fault: NameFault
    why: str

    def __str__(self) -> str:
        return f"{self.adapter}: {self.fault}: {self.why}"


@dataclass(frozen=True, slots=True)
class NotHeld(Refusal):
    """A found server that nothing can be declared for, where the state cannot be declared again as it is."""

    exit_code = ExitCode.CONFIGURATION
    server: str
    outcome: Nonsense

    def __str__(self) -> str:
        return f"{self.server}: {self.outcome.why}"


@dataclass(frozen=True, slots=True)
class WorkloadReplaced(Refusal):
    """A change that Kubernetes forbids: the engine would delete the StatefulSet and create another."""

    exit_code = ExitCode.POLICY
    server: str
    field: str
    before: str
    after: str
    instead: str

    def __str__(self) -> str:
        return (
            f"{self.server}: {self.field} changes from {self.before} to {self.after}, for which Kubernetes "
            f"needs another StatefulSet; {self.instead}, or set deploy.storage.replace to true: "
            "the StatefulSet is replaced, its volumes stay as they are"
        )


@dataclass(frozen=True, slots=True)
class WorkloadRemoved(Refusal):
    """A server that the stack has deployed, and whose StatefulSet would go."""

    exit_code = ExitCode.POLICY
    server: str
    cause: str
    instead: str
    approvals: tuple[str, ...]
    """Everything that has to be approved for this run."""

    def __str__(self) -> str:
        return self.worded(STACK_WORDS)

    def worded(self, words: SettingWords) -> str:
        """The line, with the approval as it is written where the settings are."""
        return (
            f"{self.server}: {self.cause}, so this run would delete its StatefulSet, its configuration and "
            f"the Services of its API, with their addresses; {self.instead}, or if they are to go, approve "
            f"exactly these: {_approval(self.approvals, words)}"
        )


@dataclass(frozen=True, slots=True)
class ImageRefused(Refusal):
    """A change of a server's image after which its data cannot be read."""

    exit_code = ExitCode.POLICY
    server: str
    before: str
    after: str
    why: str
    instead: str

    def __str__(self) -> str:
        return (
            f"{self.server}: deploy.image changes from {self.before} to {self.after}: {self.why}; "
            f"{self.instead}; if you know that its data survives, approve it: "
            f"`deploy.approveImage: {self.after}`"
        )


@dataclass(frozen=True, slots=True)
class AdoptionImpossible(Refusal):
    """An object exists, and cannot become what is declared."""

    exit_code = ExitCode.POLICY
    server: str
    object: str
    why: str

    def __str__(self) -> str:
        return f"{self.server}: {self.object} cannot be adopted: {self.why}"


@dataclass(frozen=True, slots=True)
class ExistsAlready(Refusal):
    """Objects of other managers that the provider would silently take over."""

    exit_code = ExitCode.POLICY
    server: str
    objects: tuple[str, ...]
    """Each with the manager that created it."""
    by_pulumi: bool = False
    """Whether Pulumi created one of them: perhaps in an interrupted run of this stack."""

    @property
    def cause(self) -> str:
        """What is in the way."""
        exist = "exists" if len(self.objects) == 1 else "exist"
        return (
            f"{', '.join(self.objects)} {exist} already and this stack did not make {self._them}: nothing is "
            "touched"
        )

    @property
    def takeover(self) -> str:
        """What `adopt: true` is for, with the page about it."""
        return f"to take {self._them} over (docs/migration.md)"

    @property
    def recovery(self) -> str:
        """What else to try, to be appended; empty where Pulumi created none of them."""
        found = "; `dittoinfra up` finds what an interrupted run of this stack made (docs/recovery.md)"
        return found if self.by_pulumi else ""

    @property
    def _them(self) -> str:
        return "it" if len(self.objects) == 1 else "them"

    def __str__(self) -> str:
        return (
            f"{self.server}: {self.cause}; set adopt: true on the server {self.takeover}, or give the server "
            f"another name{self.recovery}"
        )


@dataclass(frozen=True, slots=True)
class HeldElsewhere(Refusal):
    """An object that another resource of the same program owns: with `adopt` both would own it."""

    exit_code = ExitCode.POLICY
    server: str
    object: str
    holder: OtherHolder

    def __str__(self) -> str:
        then = (
            f'if it is the same server, add aliases=["{self.holder.component}"] to the options of this '
            "component"
            if self.holder.component is not None
            else "remove that resource from the state first, which does not delete the object: "
            f"`pulumi state delete '{self.holder.urn}'`"
        )
        return (
            f"{self.server}: {self.object} belongs to {self.holder.urn} in the state of this program, and is "
            f"deleted when that resource is: it is not taken over, not even with adopt: true; {then}"
        )


@dataclass(frozen=True, slots=True)
class ForeignObject(Refusal):
    """An object that is not the one in the state: the provider deletes whatever has its name."""

    exit_code = ExitCode.POLICY
    object: str
    maker: str
    urn: str

    def __str__(self) -> str:
        stack, _ = stack_and_project(self.urn)
        return (
            f"{self.object} ({self.maker}) would be deleted, and is not the one that this stack made: "
            "nothing is touched; take its own out of the state, which deletes nothing in the cluster: "
            f"`pulumi state delete '{self.urn}' --stack {stack}`"
        )


@dataclass(frozen=True, slots=True)
class UnreadableObject(Refusal):
    """Objects that could not be read, and that may be those of another manager."""

    objects: tuple[str, ...]
    why: str
    """Why the first one could not be read."""
    server: str | None = None
    """The server that they are to be created for; None where they are to be deleted."""
    next_step: ClassVar[str] = (
        "see that the cluster answers and lets its user get these objects, then run again"
    )

    @property
    def cause(self) -> str:
        """What could not be seen."""
        first, *others = self.objects
        what = f"{first} and {len(others)} more" if others else first
        if self.server is None:
            return (
                f"whether {what} is still the one that this stack made could not be seen ({self.why}): "
                "nothing is deleted, because the provider deletes by name"
            )
        return (
            f"whether {what} exists already could not be seen ({self.why}): nothing is created, because an "
            "object of another manager would be taken over"
        )

    def __str__(self) -> str:
        of_server = f"{self.server}: " if self.server is not None else ""
        return f"{of_server}{self.cause}; {self.next_step}"


@dataclass(frozen=True, slots=True)
class BeingDeleted(Refusal):
    """A declared object that is being deleted."""

    server: str
    object: str
    finalizers: tuple[str, ...]

    def __str__(self) -> str:
        held = f"held by {', '.join(self.finalizers)}: see why it does not finish, then run again"
        return f"{self.server}: {self.object} is being deleted, " + (
            held if self.finalizers else "so it cannot be declared now; run again when it is gone"
        )


@dataclass(frozen=True, slots=True)
class NamespaceMissing(Refusal):
    """Objects are to be created in a namespace that does not exist."""

    exit_code = ExitCode.CONFIGURATION
    namespace: str
    servers: tuple[str, ...]
    terminating: bool = False
    """Whether it exists and is being deleted."""
    deployed: bool = False
    """Whether a server in it is deployed by the stack, which can then create the namespace too."""

    def __str__(self) -> str:
        servers = ", ".join(self.servers)
        if self.terminating:
            return f"{servers}: namespace {self.namespace} is being deleted; run again once it exists again"
        create = ", or set deploy.createNamespace: true" if self.deployed else ""
        return (
            f"{servers}: namespace {self.namespace} does not exist; "
            f"`kubectl create namespace {self.namespace}`{create}"
        )


@dataclass(frozen=True, slots=True)
class InUse(Refusal):
    """Clients would be cut off, or may be, without an approval."""

    exit_code = ExitCode.POLICY
    what: str
    """What the run would do: `remove media/nfs (moved)`, `restart media, because …`."""
    users: str
    """Who would be cut off, or why that is not known."""
    known: bool
    """Whether that is known."""
    approval: str

    def __str__(self) -> str:
        approve = f"approve it: `{NAMESPACE}:{self.approval}`"
        if not self.known:
            return (
                f"possibly in use: this run would {self.what}, {self.users}; make sure that no client does, "
                f"then {approve}"
            )
        return (
            f"in use: this run would {self.what}, {self.users}; run again when they have left, or if that is "
            f"right, {approve}"
        )


@dataclass(frozen=True, slots=True)
class UploadsNotDrained(Refusal):
    """A server that the run would restart has not uploaded what it has taken in."""

    server: str
    why: str

    def __str__(self) -> str:
        return (
            f"{self.server}: its uploads are not drained, so it is not restarted: {self.why}; run again, or "
            f"drop {NAMESPACE}:drainUploads to restart it as it is"
        )


@dataclass(frozen=True, slots=True)
class BrakePulled(Refusal):
    """A run that would remove more than a user is likely to intend."""

    exit_code = ExitCode.POLICY
    removals: tuple[Removal, ...]
    remembered: int
    limits: Brake
    empties: bool
    """Whether the stack would be left without any adapter, and not because each was disabled."""
    approvals: tuple[str, ...]
    """Everything that has to be approved for this run."""
    repointed: tuple[str, ...] = ()
    """The servers that are asked elsewhere than before, each with both addresses."""

    @property
    def too_many(self) -> bool:
        """Whether the share of the stack's adapters is above the limit."""
        share = 100 * len(self.removals)
        return self.remembered >= self.limits.adapters and share > self.limits.percent * self.remembered

    def __str__(self) -> str:
        return self.worded(STACK_WORDS)

    def worded(self, words: SettingWords) -> str:
        """The line, with the approval as it is written where the settings are."""
        count = len(self.removals)
        percent = -(-100 * count // self.remembered)  # rounded up: an exceeded limit must look exceeded
        limit = f", limit {self.limits.percent} % from {self.limits.adapters} adapters on"
        share = f"{count} of {self.remembered} adapters ({percent} %{limit if self.too_many else ''})"
        empties = ", which would leave none" if self.empties else ""
        names = ", ".join(f"{r.name} ({r.reason})" for r in self.removals)
        reasons = {r.reason for r in self.removals}
        meaning = "".join(f"; {text}" for reason, text in LOSES_ADDRESS.items() if reason in reasons)
        asked = "".join(f"; {text}" for text in self.repointed)
        return (
            f"brake: this run would remove {share}{empties}: {names}{meaning}{asked}; "
            f"if that is right, approve exactly these: {_approval(self.approvals, words)}"
        )


LOSES_ADDRESS: Mapping[Reason, str] = {
    Reason.MOVED: "moved means replaced by a Service in another namespace or cluster, "
    "which has another address",
    Reason.UNSPLIT: "unsplit means that the Service of its UDP ports is removed, with its address",
    Reason.RENAMED: "renamed means that its server is not configured any more while another one is new, "
    "whose Services have other names and addresses",
    Reason.WITHHELD: "withheld means that its server is not configured any more, and the stack says "
    "`removal: never`",
    Reason.REPOINTED: "repointed means that it is disabled or absent where its server is asked now, "
    "which may be another server",
}
"""What it means that the configuration makes an adapter lose an address; each needs approval."""


@dataclass(frozen=True, slots=True)
class ConfigurationLost(Refusal):
    """A stack that holds adapters, and a configuration that names no servers at all."""

    exit_code = ExitCode.CONFIGURATION
    removals: tuple[Removal, ...]
    source: ConfigurationSource
    approvals: tuple[str, ...]
    """Everything that has to be approved for this run."""

    def __str__(self) -> str:
        return (
            f"configuration lost: this run would remove all {len(self.removals)} adapters of the stack, "
            f"because {_not_in(self.source)}; restore the configuration, or if they are all to go, "
            f"approve exactly these: {_approval(self.approvals, STACK_WORDS)}"
        )


@dataclass(frozen=True, slots=True)
class NoServers(Refusal):
    """A stack that holds no adapters, and a configuration that names no servers."""

    exit_code = ExitCode.CONFIGURATION
    source: ConfigurationSource
    objects: int = 0
    """How many objects the run would delete."""

    def __str__(self) -> str:
        lost = f", and this run would delete all {self.objects} objects of the stack" if self.objects else ""
        return (
            f"the stack has no servers: {_not_in(self.source)}{lost}; name them there (docs/recipes.md), or "
            f"write `{NAMESPACE}:servers: []` where there are to be none"
        )


@dataclass(frozen=True, slots=True)
class LoginRefused(Refusal):
    """A server of a stack that holds nothing yet, where no server accepts the login."""

    exit_code = ExitCode.AUTHENTICATION
    server: str
    outcome: Denied

    def __str__(self) -> str:
        return (
            f"{self.server}: denied: {self.outcome.why}; refused, because the stack is new and no server "
            "accepts its login, so there is nothing to declare"
        )


def _not_in(source: ConfigurationSource) -> str:
    keys = " or ".join(f"{NAMESPACE}:{key}" for key in ("servers", "serversFrom"))
    missing = "" if source.exists else ", which does not exist"
    elsewhere = (
        f" ({', '.join(source.elsewhere)} is set, but only the namespace `{NAMESPACE}:` is read)"
        if source.elsewhere
        else ""
    )
    return f"{keys} is not in {source.file}{missing}{elsewhere}"


def _approval(names: Iterable[str], words: SettingWords) -> str:
    """What lets removals through, as it is written where the settings are."""
    return f"`{words.name(path_of(('approveRemovals',)))}: [{', '.join(names)}]`"
