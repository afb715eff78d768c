"""Whether network policies let clients in, and what was seen of it from this machine. Pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dittoinfra.decide.policy_access import PortAccess, port_access
from dittoinfra.reports.verify_document import At, Hop, HopName
from dittoinfra.verify.probe_outcomes import ProbedPort
from dittoinfra.verify.targets import Backend, Target

UNENFORCED = (
    "the cluster's network does not enforce policies, or takes what comes from here for traffic of the node"
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of this machine to reach a port from outside."""

    reached: bool
    dropped_from: str | None = None
    """This machine's address, where nothing answered it at all."""


@dataclass(frozen=True, slots=True)
class Policies:
    """What the cluster has of policies, and the Pod that they may select."""

    listed: Sequence[Mapping[str, Any]]
    """Every NetworkPolicy of the Pod's namespace."""
    pod: Mapping[str, Any]

    def access(self, port: ProbedPort, backend: Backend) -> PortAccess | None:
        """Who is let in to where a port of the Service leads; None where it leads nowhere yet."""
        number = backend.ports.get(port.name)
        return None if number is None else port_access(self.listed, self.pod, number, port.protocol)


def policy_hops(
    target: Target,
    backend: Backend,
    ports: Sequence[ProbedPort],
    policies: Policies,
    attempts: Mapping[str, Sequence[Attempt]],
    open_inside: Collection[str],
) -> Iterator[Hop]:
    """Whether clients are let in to each port; a single hop where no policy selects the Pod.

    `attempts` has those from outside, by the port's name; `open_inside` are the ports that take connections
    in the Pod itself.
    """
    for port in ports:
        access = policies.access(port, backend)
        if access is None:
            continue
        if not access.policies:
            yield At("inside", HopName.POLICY, f"Pod {backend.pod}").passed("no NetworkPolicy selects it")
            return
        where = f"port {backend.ports[port.name]}/{port.protocol} of Pod {backend.pod}"
        at, tried = At("inside", HopName.POLICY, where), attempts.get(port.name, ())
        shut_out = _shut_out(access, tried) if port.name in open_inside else None
        yield _hop(at, target, access, _reached(tried), shut_out)


def _reached(attempts: Sequence[Attempt]) -> bool | None:
    return any(each.reached for each in attempts) if attempts else None


def _shut_out(access: PortAccess, attempts: Sequence[Attempt]) -> str | None:
    """This machine's addresses, where nothing answered any of them and no policy names one."""
    own = [each.dropped_from for each in attempts]
    known = [each for each in own if each is not None]
    if not known or len(known) < len(own):
        return None
    named = any(source.admits(address) for source in access.sources for address in known)
    return None if named else ", ".join(dict.fromkeys(known))


def _hop(at: At, target: Target, access: PortAccess, reached: bool | None, shut_out: str | None) -> Hop:
    if not access.opened:
        closed = f"is closed to everybody by NetworkPolicy {', '.join(access.policies)}"
        if reached:
            return at.skipped(f"{closed}, and yet this machine reaches it: {UNENFORCED}")
        return at.failed(closed, _open_it(target))
    sources = ", ".join(source.name for source in access.sources)
    opened = f"is open to {sources} by NetworkPolicy {', '.join(access.opened)}"
    if access.open:
        return at.passed(opened)
    if reached:
        return at.passed(f"{opened}, and this machine reaches it")
    if reached is False and access.only_pods:
        return at.failed(f"{opened}, and to no address outside the cluster", _let_in(target, access))
    if shut_out is not None:
        text = (
            f"{opened}; this machine is {shut_out} (unless that is translated on the way), and gets no answer"
        )
        return at.failed(text, _let_in(target, access))
    return at.skipped(f"{opened}; whether clients are among them is not known here")


def _open_it(target: Target) -> str:
    if target.policy is not None:
        return f"`dittoinfra up {target.stack}` puts NetworkPolicy {target.policy} right"
    return "let clients in with a policy of your own, or set networkPolicy.mode to enabled"


def _let_in(target: Target, access: PortAccess) -> str:
    if target.policy in access.opened:
        return "add the addresses of clients to networkPolicyFrom of the adapter, or to networkPolicy.from"
    return f"add the addresses of clients to NetworkPolicy {' or '.join(access.opened)}"
