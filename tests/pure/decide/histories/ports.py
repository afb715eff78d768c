"""What must hold for port names and numbers in every history of a server."""

from collections.abc import Sequence
from functools import cache, lru_cache

from dittoinfra.decide.exposure import ContainerPort, container_ports, service_ports
from dittoinfra.model import DeclaredAdapter, State
from dittoinfra.naming import adapter_service
from tests.pure.decide.histories.history import DEPLOYS, History, exposed


def check_services(adapters: tuple[DeclaredAdapter, ...], history: History) -> None:
    """Service names, port names and port numbers are unique."""
    names = {_service(adapter.type) for adapter in adapters}
    assert len(names) == len(adapters), "every adapter has a Service of its own"
    for adapter in adapters:
        _check_service_ports(adapter.type, adapter.port, history.exposure)
    _container(adapters, history.exposure, history.deploy)


def check_counting(
    last: tuple[DeclaredAdapter, ...], now: tuple[DeclaredAdapter, ...], history: History
) -> None:
    """Between two runs that differ only in their counters, container ports do not change."""
    if ports_of(last) == ports_of(now) and _pinned(last) == _pinned(now):
        before, after = (_container(a, history.exposure, history.deploy) for a in (last, now))
        assert before == after, "counting must not restart a Pod"


def ports_of(adapters: Sequence[DeclaredAdapter]) -> set[tuple[str, int]]:
    """The adapters and their ports."""
    return {(adapter.type, adapter.port) for adapter in adapters}


def _pinned(adapters: Sequence[DeclaredAdapter]) -> set[str]:
    return {adapter.type for adapter in adapters if adapter.state is State.PINNED}


# The same few questions come up again and again: their answers are checked once and kept.


@cache
def _service(adapter_type: str) -> str:
    return adapter_service("media", adapter_type)


@cache
def _check_service_ports(adapter_type: str, port: int, exposure: int) -> None:
    adapter = DeclaredAdapter(adapter_type, port, State.SERVING)
    ports = service_ports(adapter, exposed(exposure)[adapter_type])
    assert (ports[0].target, ports[0].protocol) == (port, "TCP"), "the data port comes first"
    _check_unique([(p.name, p.port, p.protocol) for p in ports])


@lru_cache(maxsize=20_000)
def _container(
    adapters: tuple[DeclaredAdapter, ...], exposure: int, deploy: int
) -> tuple[ContainerPort, ...]:
    ports = container_ports(adapters, exposed(exposure), DEPLOYS[deploy])
    _check_unique([(p.name, p.port, p.protocol) for p in ports])
    return ports


def _check_unique(ports: Sequence[tuple[str, int, str]]) -> None:
    assert len({name for name, _, _ in ports}) == len(ports), "port names are unique"
    assert len({(number, protocol) for _, number, protocol in ports}) == len(ports), "port numbers are unique"
