"""Who would be cut off by a run that removes adapters or restarts servers, and whether it may. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dittoinfra.adapter_usage import Usage, UsageAnswer
from dittoinfra.decide.approvals import Approvals
from dittoinfra.decide.refusals import InUse
from dittoinfra.model import Note, Reason, Removal, StackMemory
from dittoinfra.naming import adapter_resource
from dittoinfra.settings import StackSettings

_STOPPED = (Reason.DISABLED, Reason.ABSENT)
"""The server has stopped these adapters itself, and has disconnected their clients."""

_TYPES = ("nfs", "smb")
"""The adapter types of the tested servers, which are also what they call the protocols of their clients."""


@dataclass(frozen=True, slots=True)
class InUseDecision:
    """What is said of clients that a run cuts off, and why it stops for them."""

    refusals: tuple[InUse, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class _Interruption:
    """Adapters of one server whose clients a run cuts off."""

    server: str
    types: tuple[str, ...]
    """Those that are known."""
    what: str
    """What the run does, as it follows `would`."""
    stopped: bool = False
    """Whether no client can be connected any more."""
    approved: bool = False
    approval: str = ""
    spared: frozenset[str] = frozenset()
    """Adapter types whose clients are not cut off."""


def servers_to_ask(
    settings: StackSettings,
    removals: Sequence[Removal],
    restarts: Mapping[str, str],
    workloads: Iterable[str] = (),
) -> frozenset[str]:
    """The servers whose clients a run would cut off, where the stack wants to know of them."""
    if not (settings.report_in_use or settings.protect_in_use):
        return frozenset()
    return frozenset({*(removal.server for removal in removals), *restarts, *workloads})


def decide_in_use(
    settings: StackSettings,
    memory: StackMemory,
    removals: Sequence[Removal],
    restarts: Mapping[str, str],
    approvals: Approvals,
    in_use: Mapping[str, UsageAnswer],
) -> InUseDecision:
    """What a run says of the clients that it would cut off, and whether it stops for them.

    `restarts` are the servers that it restarts, each with what changes; `in_use` what the servers say. What
    could not be told counts as in use, except for adapters that their server has stopped already.
    """
    if not servers_to_ask(settings, removals, restarts, approvals.workloads):
        return InUseDecision()
    refusals, notes = list[InUse](), list[Note]()
    for this in (
        *_removed(memory, removals, approvals),
        *_undeployed(memory, approvals),
        *_restarted(settings, memory, restarts),
    ):
        usage = _usage(this, in_use.get(this.server))
        known = isinstance(usage, Usage)
        users = f"which cuts off {usage}" if known else f"and {usage}"
        harmful = usage.any if isinstance(usage, Usage) else not this.stopped
        if settings.protect_in_use and harmful and not this.approved:
            refusals.append(InUse(this.what, users, known, this.approval))
        else:
            notes.append(Note(this.server, f"this run would {this.what}, {users}", warning=harmful))
    return InUseDecision(tuple(refusals), (*notes, *_stale_approvals(settings, restarts)))


def _removed(
    memory: StackMemory, removals: Sequence[Removal], approvals: Approvals
) -> Iterator[_Interruption]:
    for removal in removals:
        yield _Interruption(
            removal.server,
            (removal.type,),
            f"remove {removal.name} ({removal.reason})",
            removal.reason in _STOPPED,
            # As for the brake: exactly these.
            approvals.exact,
            _approve_removals(approvals),
            spared=frozenset((*_TYPES, *memory.get(removal.server, {}))) - {removal.type},
        )


def _undeployed(memory: StackMemory, approvals: Approvals) -> Iterator[_Interruption]:
    for server, approval in approvals.workloads.items():
        yield _Interruption(
            server,
            tuple(sorted(memory.get(server, {}))),
            f"delete the StatefulSet of {server}",
            approved=approval in approvals.given,
            approval=_approve_removals(approvals),
        )


def _approve_removals(approvals: Approvals) -> str:
    return f"approveRemovals: [{', '.join(approvals.needed)}]"


def _restarted(
    settings: StackSettings, memory: StackMemory, restarts: Mapping[str, str]
) -> Iterator[_Interruption]:
    for server, why in sorted(restarts.items()):
        yield _Interruption(
            server,
            tuple(sorted(memory.get(server, {}))),
            f"restart {server}, because {why} changed",
            approved=server in settings.approve_restarts,
            approval=f"approveRestarts: [{', '.join(sorted(restarts))}]",
        )


def _usage(this: _Interruption, answer: UsageAnswer | None) -> Usage | str:
    """Who is cut off, or why that is not known."""
    names = ", ".join(adapter_resource(this.server, each) for each in this.types) or this.server
    match answer:
        case None:
            return f"it is not known who uses {names} (its server is not asked any more)"
        case Mapping():
            # A protocol that is no adapter type may be that of any adapter. A server that ends cuts everybody
            # off, clients of adapters that the stack does not hold included.
            return sum((each for name, each in answer.items() if name not in this.spared), Usage())
        case trouble:
            return f"it is not known who uses {names} ({trouble.why})"


def _stale_approvals(settings: StackSettings, restarts: Mapping[str, str]) -> Iterator[Note]:
    for server in settings.approve_restarts:
        if server not in restarts:
            text = (
                f"the restart of {server} is approved, but nothing restarts it; drop it from approveRestarts"
            )
            yield Note(server, text, warning=True)
