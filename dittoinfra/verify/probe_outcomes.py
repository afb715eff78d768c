"""What is asked at a port, what can come of it, and the hops that follow from that. Pure.

ProbeOutcome of a probe
├── Spoken        it speaks the protocol
├── Open          it takes connections, and no more was asked
├── Refused       nothing listens there, or it cannot be routed to
├── Dropped       no answer to the attempt to connect
├── Silent        it took the connection, or the datagram, and said nothing
├── Closed        it closed the connection without an answer
├── WrongProtocol it answered in another protocol
├── Unsuitable    it speaks the protocol, and yet no client gets on
├── ApiError      the Kubernetes API did not open the port
└── NotProbed     there is nothing to ask it, or no way to
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from dittoinfra.exitcodes import ExitCode
from dittoinfra.reports.verify_document import At, Hop, HopName, Side

MORE_TIME = "see that the Kubernetes API can be reached, or give it more time (--timeout)"


class ExpectedProtocol(StrEnum):
    """What is expected at a port."""

    NFS = "NFS"
    MOUNT = "MOUNT"
    """All that DittoFS serves of NFS over UDP are mounts and locks, for clients of version 3."""
    SMB = "SMB"
    PORTMAPPER = "portmapper"
    ANYTHING = ""
    """Nothing that is known here."""


_SWITCHES = {
    ExpectedProtocol.PORTMAPPER: "the server's nfs settings have portmapper_enabled and this portmapper_port",
    ExpectedProtocol.MOUNT: "the server's nfs settings have udp_enabled",
}
"""What serves a protocol that the server need not serve, as the end of `see that …`."""


@dataclass(frozen=True, slots=True)
class ProbedPort:
    """A port of a Service, and what is expected behind it."""

    name: str
    number: int
    """Where clients connect to."""
    protocol: Literal["TCP", "UDP"]
    speaks: ExpectedProtocol
    node_port: int | None = None


@dataclass(frozen=True, slots=True)
class Spoken:
    """It speaks the protocol."""

    text: str


@dataclass(frozen=True, slots=True)
class Open:
    """It takes connections."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing listens there, or it cannot be routed to."""

    why: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """No answer to the attempt to connect."""


@dataclass(frozen=True, slots=True)
class Silent:
    """It said nothing."""


@dataclass(frozen=True, slots=True)
class Closed:
    """It closed the connection without an answer."""


@dataclass(frozen=True, slots=True)
class WrongProtocol:
    """It answered in another protocol."""

    said: str


@dataclass(frozen=True, slots=True)
class Unsuitable:
    """It speaks the protocol, and yet no client gets on."""

    why: str
    next_step: str


@dataclass(frozen=True, slots=True)
class ApiError:
    """The Kubernetes API did not open the port."""

    why: str
    next_step: str
    forbidden: bool


@dataclass(frozen=True, slots=True)
class NotProbed:
    """There is nothing to ask it, or no way to."""

    why: str


ProbeOutcome = (
    Spoken | Open | Refused | Dropped | Silent | Closed | WrongProtocol | Unsuitable | ApiError | NotProbed
)


def reached(port: ProbedPort, outcome: ProbeOutcome) -> bool | None:
    """Whether a port was reached; None where it was not tried."""
    match outcome:
        case NotProbed() | ApiError():
            return None
        case Refused() | Dropped():
            return False
        case Silent():
            return port.protocol == "TCP"
    return True


@dataclass(frozen=True, slots=True)
class Probe:
    """One port at one place."""

    side: Side
    where: str
    port: ProbedPort
    timeout: float
    """Seconds that an adapter has; what got no answer is said to have waited so long."""
    listens: str
    """How to find out where the server listens."""
    logs: str
    """How to read the server's log."""
    gates: Sequence[str] = ()
    """What may keep this machine out, each as the end of `see that …`."""


def probe_hops(probe: Probe, outcome: ProbeOutcome) -> Iterator[Hop]:
    """The hops `port` and `protocol` of one probe; the second only where the first is passed."""
    port = _port_hop(At(probe.side, HopName.PORT, probe.where), probe, outcome)
    if port is not None:
        yield port
    if port is None or port.state == "ok":
        yield _protocol_hop(At(probe.side, HopName.PROTOCOL, probe.where), probe, outcome)


def _port_hop(at: At, probe: Probe, outcome: ProbeOutcome) -> Hop | None:
    """None where it is not known: a datagram that is lost and one that is ignored look the same."""
    match outcome:
        case Refused(why) if probe.side == "inside":
            switch = _switches(probe.port)
            return at.failed(f"refuses connections ({why})", _see(*switch) if switch else probe.listens)
        case Refused(why):
            # A port-forward carries no UDP: it may be the server that has none.
            switch = _switches(probe.port) if probe.port.protocol == "UDP" else ()
            passes = "the load balancer, or the node, passes this port on to the Service"
            what = "datagrams" if probe.port.protocol == "UDP" else "connections"
            return at.failed(f"refuses {what} ({why})", _see(*switch, passes))
        case Dropped() if probe.side == "inside":
            text = f"the Kubernetes API did not open it within {probe.timeout:g} s"
            return at.failed(text, MORE_TIME)
        case Dropped():
            return at.failed(f"no answer to a connection attempt within {probe.timeout:g} s", _gates(probe))
        case ApiError(why, next_step, forbidden):
            code = ExitCode.AUTHENTICATION if forbidden else ExitCode.GENERIC
            return at.failed(why, next_step, code)
        case NotProbed(why):
            return at.skipped(why)
    return at.passed("takes connections") if probe.port.protocol == "TCP" else None


def _protocol_hop(at: At, probe: Probe, outcome: ProbeOutcome) -> Hop:
    port = probe.port
    match outcome:
        case Spoken(text):
            return at.passed(text)
        case Unsuitable(why, next_step):
            return at.failed(why, next_step)
        case WrongProtocol(said):
            text = f"does not speak {port.speaks}: it answers {said!r}"
            return at.failed(text, f"see what listens there; {probe.listens}")
        case Closed():
            return at.failed("closes the connection without an answer", probe.logs)
        case Silent() if port.protocol == "UDP":
            text = f"no answer over UDP within {probe.timeout:g} s"
            return at.failed(text, _gates(probe, *_switches(port)))
        case Silent():
            return at.failed(f"takes connections and says nothing within {probe.timeout:g} s", probe.logs)
    return at.skipped(f"what port {port.name} speaks is not known here: only the port was checked")


def _gates(probe: Probe, *others: str) -> str:
    return _see("no firewall drops it", *probe.gates, *others)


def _switches(port: ProbedPort) -> tuple[str, ...]:
    return (_SWITCHES[port.speaks],) if port.speaks in _SWITCHES else ()


def _see(*facts: str) -> str:
    return f"see that {' and that '.join(facts)}"
