"""What was found at each hop to an adapter: for docs/schemas/verify.schema.json, reports and a terminal."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Self

from dittoinfra.exitcodes import ExitCode
from dittoinfra.json_document import Document, VersionedDocument
from dittoinfra.naming import adapter_resource
from dittoinfra.reports.failure import Failure
from dittoinfra.stacks.result import common_exit_code

Side = Literal["inside", "outside"]
HopState = Literal["ok", "failed", "skipped"]


class HopName(StrEnum):
    """A part of the way from a client to an adapter."""

    SERVICE = "service"
    """The Service exists, selects the server's Pods, and leads to the adapter's port."""
    PODS = "pods"
    """A ready Pod is behind the Service."""
    POLICY = "policy"
    """The NetworkPolicies that select the Pod let clients in."""
    ADDRESS = "address"
    """The Service has an address outside the cluster."""
    PORT = "port"
    """The port takes connections."""
    PROTOCOL = "protocol"
    """What answers there speaks the adapter's protocol."""
    NAME = "name"
    """The name resolves to the Service's address."""


class Hop(Document):
    """One hop."""

    side: Side
    """Seen from the cluster (its API, and port-forwards through it), or from this machine."""
    hop: HopName
    where: str
    """What was checked: a Service, a port of a Pod, an address with its port, or a name."""
    state: HopState
    """`skipped`: it does not apply, or cannot be checked from here; `text` says why."""
    text: str
    """What was found."""
    next: str | None = None
    """What to do about it; null where there is nothing to do."""
    exit_code: int = 0
    """What the command ends with if nothing else failed."""


class AdapterVerdict(Document):
    """One adapter, and every hop to it that was checked."""

    stack: str
    server: str
    type: str
    """Adapter type."""
    ok: bool
    """Whether no hop failed."""
    failed: Hop | None
    """The first hop that failed; null where none did."""
    hops: tuple[Hop, ...]
    """In the order of the way; what lies behind a failed hop is not checked."""

    @classmethod
    def of(cls, stack: str, server: str, adapter_type: str, hops: tuple[Hop, ...]) -> "AdapterVerdict":
        """The verdict that follows from the hops."""
        failed = next((hop for hop in hops if hop.state == "failed"), None)
        return cls(stack=stack, server=server, type=adapter_type, ok=failed is None, failed=failed, hops=hops)


class Verification(Document):
    """Whether clients reach the adapters of some stacks."""

    ok: bool
    """Whether every adapter of every stack is reached."""
    adapters: tuple[AdapterVerdict, ...]
    failures: tuple[Failure, ...]
    """Stacks about which nothing could be told."""

    @classmethod
    def of(cls, adapters: tuple[AdapterVerdict, ...], failures: tuple[Failure, ...]) -> Self:
        """What these verdicts come to."""
        ok = not failures and all(adapter.ok for adapter in adapters)
        return cls(ok=ok, adapters=adapters, failures=failures)

    @property
    def exit_code(self) -> int:
        """How the command ends."""
        hops = (hop for adapter in self.adapters for hop in adapter.hops)
        codes = (*(hop.exit_code for hop in hops), *(failure.exit_code for failure in self.failures))
        return common_exit_code(codes)

    @property
    def reached(self) -> int:
        """How many adapters clients reach."""
        return sum(adapter.ok for adapter in self.adapters)


class VerifyDocument(Verification, VersionedDocument):
    """`dittoinfra verify --json`."""


@dataclass(frozen=True, slots=True)
class At:
    """A hop before anything is known of it."""

    side: Side
    hop: HopName
    where: str

    def passed(self, text: str) -> Hop:
        """It passed."""
        return self._hop("ok", text)

    def skipped(self, text: str) -> Hop:
        """Not checked."""
        return self._hop("skipped", text)

    def failed(self, text: str, next_step: str, exit_code: int = ExitCode.GENERIC) -> Hop:
        """No client gets past it."""
        return self._hop("failed", text, next_step or None, exit_code)

    def _hop(self, state: HopState, text: str, next_step: str | None = None, exit_code: int = 0) -> Hop:
        return Hop(
            side=self.side,
            hop=self.hop,
            where=self.where,
            state=state,
            text=text,
            next=next_step,
            exit_code=exit_code,
        )


def verdict_lines(verdict: AdapterVerdict) -> Iterator[str]:
    """An adapter as text: the verdict, then a line for each hop."""
    adapter = f"{verdict.stack}: {adapter_resource(verdict.server, verdict.type)}"
    yield (
        f"{adapter}: all right"
        if verdict.failed is None
        else f"{adapter}: fails at {verdict.failed.side} {verdict.failed.hop}: {verdict.failed.where}"
    )
    for hop in verdict.hops:
        then = f" -> {hop.next}" if hop.next else ""
        yield f"  {hop.state:<7} {hop.side:<7} {hop.hop:<8}  {hop.where}: {hop.text}{then}"
