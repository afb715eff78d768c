"""Whether network policies let clients in, and what was seen of it from this machine. Pure."""

from collections.abc import Iterator, Mapping, Sequence
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
    reached: Mapping[str, bool],
) -> Iterator[Hop]:
    """Whether clients are let in to each port; a single hop where no policy selects the Pod.

    `reached` says of each port that was tried from outside, by its name, whether it was reached.
    """
    for port in ports:
        access = policies.access(port, backend)
        if access is None:
            continue
        if not access.policies:
            yield At("inside", HopName.POLICY, f"Pod {backend.pod}").passed("no NetworkPolicy selects it")
            return
        where = f"port {backend.ports[port.name]}/{port.protocol} of Pod {backend.pod}"
        yield _hop(At("inside", HopName.POLICY, where), target, access, reached.get(port.name))


def _hop(at: At, target: Target, access: PortAccess, reached: bool | None) -> Hop:
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
    return at.skipped(f"{opened}; whether clients are among them is not known here")


def _open_it(target: Target) -> str:
    if target.policy is not None:
        return f"`dittoinfra up {target.stack}` puts NetworkPolicy {target.policy} right"
    return "let clients in with a policy of your own, or set networkPolicy.mode to enabled"


def _let_in(target: Target, access: PortAccess) -> str:
    if target.policy in access.opened:
        return "add the addresses of clients to networkPolicyFrom of the adapter, or to networkPolicy.from"
    return f"add the addresses of clients to NetworkPolicy {' or '.join(access.opened)}"
