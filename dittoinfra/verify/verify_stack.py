"""Checks every adapter of a stack, many side by side, each with its own deadline. Changes nothing."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import anyio

from dittoinfra.decide.endpoints import bracketed
from dittoinfra.decide.host_names import is_ip_address
from dittoinfra.decide.host_records import Unresolved, known_addresses
from dittoinfra.dittofs.polling import DaemonExecutor
from dittoinfra.exitcodes import ExitCode
from dittoinfra.kubernetes import Cluster, ClusterError
from dittoinfra.kubernetes.cluster_client import api_path
from dittoinfra.kubernetes.cluster_errors import ForbiddenError, NotThereError, UnknownUserError
from dittoinfra.kubernetes.portforward import open_port, pod_rule, service_slices
from dittoinfra.kubernetes.rbac import Rule
from dittoinfra.model import Addresses, HostNames
from dittoinfra.object_model import ObjectPlace
from dittoinfra.program.host_lookup import system_resolve
from dittoinfra.program.provider_cluster import ProviderCluster
from dittoinfra.reports.failure import Failure
from dittoinfra.reports.verify_document import AdapterVerdict, At, Hop, HopName, Side
from dittoinfra.stacks.backend_stack import BackendStack
from dittoinfra.stacks.cli_process import InterruptibleCommand
from dittoinfra.stacks.stack_survey import read_stack
from dittoinfra.state import ingress_addresses
from dittoinfra.verify.policy_hops import Attempt, Policies, policy_hops
from dittoinfra.verify.probe_outcomes import (
    MORE_TIME,
    Dropped,
    NotProbed,
    Probe,
    ProbedPort,
    ProbeOutcome,
    probe_hops,
    reached,
)
from dittoinfra.verify.probes import HOW_TO_ALLOW, own_address, probe_datagram, probe_stream
from dittoinfra.verify.targets import (
    Backend,
    Target,
    address_hops,
    gates,
    name_hops,
    node_addresses,
    pods_hop,
    probed_ports,
    service_hop,
    service_type,
    targets,
)

Resolve = Callable[[str], Addresses | Unresolved]
"""Every address of a name; may take its time."""

AT_ONCE = 32
"""Adapters at a time: each has a handful of connections open."""

PAUSE = 2.0
"""Seconds before an adapter that fails is checked again."""

POLICIES = Rule("list", "networkpolicies", group="networking.k8s.io")

Hops = tuple[Hop, ...]


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """How long is waited for adapters."""

    timeout: float
    """Seconds that one check of one adapter may take."""
    wait: float = 0.0
    """Seconds for which an adapter that fails is checked again: load balancers and Pods take their time."""
    interrupted: Callable[[], bool] = lambda: False
    """Whether no further check should begin."""


def verify_stack(
    stack: BackendStack, limits: TimeLimits, resolve: Resolve = system_resolve
) -> tuple[AdapterVerdict, ...] | Failure:
    """The verdict on every adapter that a stack holds; `CliFailedError` where the stack cannot be read."""
    stored = read_stack(stack)
    found = ProviderCluster.of(stored.configuration, stack.environment)
    if found is None:
        why = "its provider writes manifests, so there is no cluster to ask"
        return Failure(stack=stack.name, errors=(why,), exit_code=ExitCode.CONFIGURATION)
    wanted = targets(stack.name, stored.memory())
    if isinstance(stack.command, InterruptibleCommand):
        processes = stack.command.processes
        limits = replace(limits, interrupted=lambda: processes.interrupted)
    try:
        with found.connected():
            verdicts = verify_adapters(found, wanted, limits, resolve)
    except ClusterError as error:
        return Failure(stack=stack.name, errors=(str(error),), exit_code=_exit_code(error))
    if limits.interrupted():
        return Failure(
            stack=stack.name, errors=("cancelled while it was verified",), exit_code=ExitCode.CANCELLED
        )
    return verdicts


def verify_adapters(
    cluster: Cluster, wanted: Sequence[Target], limits: TimeLimits, resolve: Resolve = system_resolve
) -> tuple[AdapterVerdict, ...]:
    """The verdict on each of these adapters, in the same order."""
    return asyncio.run(_Verifier(cluster, resolve, limits).verdicts(wanted))


@dataclass(frozen=True, slots=True)
class _Verifier:
    cluster: Cluster
    resolve: Resolve
    limits: TimeLimits

    async def verdicts(self, wanted: Sequence[Target]) -> tuple[AdapterVerdict, ...]:
        # A lookup that hangs must not keep the command from ending.
        asyncio.get_running_loop().set_default_executor(DaemonExecutor())
        turns = asyncio.Semaphore(AT_ONCE)
        return tuple(await asyncio.gather(*(self._verdict(target, turns) for target in wanted)))

    async def _verdict(self, target: Target, turns: asyncio.Semaphore) -> AdapterVerdict:
        now = asyncio.get_running_loop().time
        ends = now() + self.limits.wait
        while True:
            # The deadline begins with its turn: waiting costs an adapter nothing of it.
            async with turns:
                hops = await _Check(self, target, now() + self.limits.timeout).hops()
            verdict = AdapterVerdict.of(target.stack, target.server, target.type, hops)
            if verdict.ok or now() >= ends or self.limits.interrupted():
                return verdict
            await asyncio.sleep(PAUSE)


@dataclass(frozen=True, slots=True)
class _Check:
    """One adapter."""

    verifier: _Verifier
    target: Target
    deadline: float
    """A time of the event loop."""

    async def hops(self) -> Hops:
        target = self.target
        if target.service is None:
            at = At("inside", HopName.SERVICE, f"adapter {target.type} of server {target.server}")
            return (
                at.failed("the stack holds no Service of it", f"`dittoinfra up {target.stack}` makes it"),
            )
        services = [self._service(target.service)]
        if target.udp_service is not None:
            services.append(self._service(target.udp_service))
        return _joined(await asyncio.gather(*services))

    async def _service(self, place: ObjectPlace) -> Hops:
        path = api_path("v1", "services", place.namespace, place.name)
        live: dict[str, Any] | None
        try:
            async with asyncio.timeout_at(self.deadline):
                try:
                    live = await self.verifier.cluster.get_async(
                        path, Rule("get", "services", place.name), place.namespace
                    )
                except NotThereError:
                    live = None
        except (ClusterError, TimeoutError) as error:
            return (self._unasked(At("inside", HopName.SERVICE, str(place)), error),)
        found = service_hop(self.target, place, live)
        if live is None or found.state == "failed":
            return (found,)
        try:
            async with asyncio.timeout_at(self.deadline):
                slices = await service_slices(self.verifier.cluster, place.namespace, place.name)
        except (ClusterError, TimeoutError) as error:
            pods, backend = self._unasked(At("inside", HopName.PODS, str(place)), error), None
        else:
            pods, backend = pods_hop(self.target, place, slices)
        if backend is None:
            return (found, pods, *(await self._outside(place, live, None, None))[0])
        policies = await self._policies(place, backend)
        (inside, open_inside), (outside, seen) = await asyncio.gather(
            self._inside(place, live, backend), self._outside(place, live, backend, policies)
        )
        if isinstance(policies, Hop):
            allowed: Hops = (policies,)
        else:
            ports = probed_ports(live)
            allowed = tuple(policy_hops(self.target, backend, ports, policies, seen, open_inside))
        return (found, pods, *allowed, *inside, *outside)

    async def _policies(self, place: ObjectPlace, backend: Backend) -> Policies | Hop:
        """Every network policy that may select the Pod, and the Pod itself where there is any."""
        namespace, cluster = place.namespace, self.verifier.cluster
        path = api_path("networking.k8s.io/v1", "networkpolicies", namespace)
        at = At("inside", HopName.POLICY, f"Pod {backend.pod}")
        pod: Mapping[str, Any] = {}
        try:
            async with asyncio.timeout_at(self.deadline):
                listed = (await cluster.get_async(path, POLICIES, namespace)).get("items") or ()
                if listed:
                    path = api_path("v1", "pods", namespace, backend.pod)
                    pod = await cluster.get_async(path, pod_rule(backend.pod), namespace)
        except ForbiddenError as error:
            # Whether clients get through is seen at the ports as well.
            return at.skipped(f"{error.who} may not {error.rule}; {HOW_TO_ALLOW}")
        except (ClusterError, TimeoutError) as error:
            return self._unasked(at, error)
        return Policies(listed, pod)

    async def _inside(
        self, place: ObjectPlace, live: Mapping[str, Any], backend: Backend
    ) -> tuple[Hops, Collection[str]]:
        """What answers in the Pod: no load balancer, no Service and no network policy is in between.

        With it, the names of the ports that take connections there.
        """
        taking = set[str]()
        # A portmapper names the port that the server listens on.
        offered = set(backend.ports.values())

        async def probe(port: ProbedPort) -> Hops:
            number = backend.ports.get(port.name)
            outcome: ProbeOutcome
            if port.protocol == "UDP":
                outcome = NotProbed("a port-forward carries TCP only")
            elif number is None:
                outcome = NotProbed("no endpoint of the Service has this port yet")
            else:
                connect = partial(open_port, self.verifier.cluster, place.namespace, backend.pod, number)
                outcome = await probe_stream(connect, port, self.deadline, offered)
            if reached(port, outcome):
                taking.add(port.name)
            where = f"port {number or port.name}/{port.protocol} of Pod {backend.pod}"
            return self._probed("inside", where, place, port, backend, outcome, ())

        return _joined(await asyncio.gather(*map(probe, probed_ports(live)))), taking

    async def _outside(
        self,
        place: ObjectPlace,
        live: Mapping[str, Any],
        backend: Backend | None,
        policies: Policies | Hop | None,
    ) -> tuple[Hops, Mapping[str, Sequence[Attempt]]]:
        """What this machine reaches; without a ready Pod only addresses and names are looked at.

        With it, by its name, the attempts to reach each port that was tried.
        """
        names = self.target.names if place == self.target.service else None
        given = await self._given(live, backend, names)
        if isinstance(given, Hop):
            return (given,), {}
        known = names.all if names is not None else ()
        asked = (*given, *known)
        led = dict(zip(asked, await asyncio.gather(*map(self._resolved, asked)), strict=True))
        expected = {address: led[address] for address in given}
        found = [*address_hops(place, live, expected)]
        seen: dict[str, list[Attempt]] = {}
        if backend is not None:
            addresses = dict.fromkeys(each for address in given for each in known_addresses(led[address]))
            ways = [(address, port) for address in addresses for port in probed_ports(live)]
            outcomes = await asyncio.gather(*(self._probe(live, *way) for way in ways))
            for (address, port), (number, outcome) in zip(ways, outcomes, strict=True):
                where = f"{bracketed(address)}:{number}/{port.protocol}"
                keeping_out = gates(self._closing(policies, port, backend), live)
                found += self._probed("outside", where, place, port, backend, outcome, keeping_out)
                if (tried := reached(port, outcome)) is not None:
                    own = own_address(address) if isinstance(outcome, Dropped) else None
                    seen.setdefault(port.name, []).append(Attempt(tried, own))
        if names is not None:
            right = {names.ip: (names.ip,)} if names.ip else expected
            found += name_hops(names, self.target.stack, right, led)
        return tuple(found), seen

    def _closing(
        self, policies: Policies | Hop | None, port: ProbedPort, backend: Backend
    ) -> Collection[str]:
        """The policies that may keep this machine from a port."""
        access = policies.access(port, backend) if isinstance(policies, Policies) else None
        if access is not None:
            return () if access.open else access.policies
        return () if self.target.policy is None else (self.target.policy,)

    async def _probe(
        self, live: Mapping[str, Any], address: str, port: ProbedPort
    ) -> tuple[int | None, ProbeOutcome]:
        """The number that a port is asked at, and what comes of it."""
        ports = probed_ports(live)
        by_node = service_type(live) == "NodePort"
        offered = {each.node_port if by_node else each.number for each in ports}
        number = port.node_port if by_node else port.number
        outcome: ProbeOutcome
        if number is None:
            outcome = NotProbed("the Service has no node port for it yet")
        elif port.protocol == "UDP":
            outcome = await probe_datagram(address, number, port, self.deadline)
        else:
            connect = partial(anyio.connect_tcp, address, number)
            outcome = await probe_stream(connect, port, self.deadline, offered)
        return number, outcome

    async def _given(
        self, live: Mapping[str, Any], backend: Backend | None, names: HostNames | None
    ) -> Addresses | Hop:
        """Where clients find the Service outside the cluster, or why that is not known."""
        own = (names.ip,) if names is not None and names.ip is not None else ()
        match service_type(live):
            case "LoadBalancer":
                return tuple(dict.fromkeys((*ingress_addresses(live), *own)))
            case "NodePort" if own:
                return own
            case "NodePort" if backend is not None and backend.node is not None:
                return await self._node(backend.node)
            case "NodePort":
                why = "the node is not known while no Pod is ready"
            case _:
                why = "a Service of this type has no address outside the cluster"
        return At("outside", HopName.ADDRESS, service_type(live)).skipped(why)

    async def _node(self, node: str) -> Addresses | Hop:
        at = At("outside", HopName.ADDRESS, f"Node {node}")
        try:
            async with asyncio.timeout_at(self.deadline):
                path, rule = api_path("v1", "nodes", None, node), Rule("get", "nodes", node)
                return node_addresses(await self.verifier.cluster.get_async(path, rule, ""))
        except ForbiddenError as error:
            # Nodes belong to no namespace: the Roles of a stack cannot allow it, and need not.
            return at.skipped(f"{error.who} may not {error.rule}; with `dns.ip` that address is used instead")
        except (ClusterError, TimeoutError) as error:
            return self._unasked(at, error)

    async def _resolved(self, name: str) -> Addresses | Unresolved:
        if is_ip_address(name):
            return (name,)
        try:
            async with asyncio.timeout_at(self.deadline):
                return await asyncio.get_running_loop().run_in_executor(None, self.verifier.resolve, name)
        except TimeoutError:
            return Unresolved(f"no answer from the resolver within {self.verifier.limits.timeout:g} s")

    def _probed(
        self,
        side: Side,
        where: str,
        place: ObjectPlace,
        port: ProbedPort,
        backend: Backend,
        outcome: ProbeOutcome,
        gates: Sequence[str],
    ) -> Hops:
        logs = f"see the server's log: `kubectl --namespace {place.namespace} logs {backend.pod}`"
        probe = Probe(side, where, port, self.verifier.limits.timeout, self.target.listens, logs, gates)
        return tuple(probe_hops(probe, outcome))

    def _unasked(self, at: At, error: Exception) -> Hop:
        if isinstance(error, ForbiddenError):
            return at.failed(error.cause, HOW_TO_ALLOW, ExitCode.AUTHENTICATION)
        if isinstance(error, ClusterError):
            return at.failed(error.cause, error.next_step, _exit_code(error))
        text = f"no answer from the Kubernetes API within {self.verifier.limits.timeout:g} s"
        return at.failed(text, MORE_TIME)


def _exit_code(error: ClusterError) -> ExitCode:
    return ExitCode.AUTHENTICATION if isinstance(error, UnknownUserError) else ExitCode.GENERIC


def _joined(parts: Iterable[Hops]) -> Hops:
    return tuple(hop for part in parts for hop in part)
