"""The settings of a stack that a history changes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.chaos.histories.events import SERVERS
from tests.engine.world import PASSWORD_ENV

MAIN, OTHER = SERVERS
NOTE = "example.com/note"

PATIENT = {"deadline": "60s", "requestTimeout": "30s"}
"""For a server that answers: a slow machine must not look like an outage."""
IMPATIENT = {"deadline": "200ms", "requestTimeout": "100ms"}
"""For a server that does not answer."""


@dataclass(frozen=True, slots=True)
class StackConfiguration:
    """Every setting that a history changes; defaults are not written to the stack's file."""

    absence_polls: int = 3
    polls_per_run: int = 1
    removal: str = "sync"
    on_unreachable: str = "keep"
    pins: tuple[tuple[str, int], ...] = ()
    """Types and ports, of the main server."""
    service_type: str = "LoadBalancer"
    preset: str = "minimal"
    udp: bool = False
    traffic_policy: str | None = None
    service_ports: tuple[tuple[str, int], ...] = ()
    note: str | None = None
    """The same annotation for the whole stack, for the main server and for its nfs."""
    note_of_server: str | None = None
    note_of_nfs: str | None = None
    other_server: bool = False
    approved: tuple[str, ...] = ()

    @property
    def servers(self) -> tuple[str, ...]:
        """The configured servers."""
        return SERVERS if self.other_server else (MAIN,)

    def pinned(self, server: str) -> Mapping[str, int]:
        """The pinned adapters of a server."""
        return dict(self.pins) if server == MAIN else {}

    def notes(self, server: str, adapter_type: str) -> Mapping[str, str]:
        """The annotation of one adapter: adapter over server over stack."""
        near = (self.note_of_nfs if adapter_type == "nfs" else None, self.note_of_server)
        found = [note for note in (*(near if server == MAIN else ()), self.note) if note is not None]
        return {NOTE: found[0]} if found else {}

    def stack_settings(self) -> dict[str, Any]:
        """The settings of the whole stack."""
        service: dict[str, Any] = {
            "type": self.service_type,
            "preset": self.preset,
            "annotations": _note(self.note),
            **({"extras": {"udp": True}} if self.udp else {}),
            **({"externalTrafficPolicy": self.traffic_policy} if self.traffic_policy else {}),
        }
        types = {adapter_type: {"servicePort": port} for adapter_type, port in self.service_ports}
        return {
            "absencePolls": self.absence_polls,
            "pollsPerRun": self.polls_per_run,
            "pollInterval": "1ms",
            "removal": self.removal,
            "onUnreachable": self.on_unreachable,
            "approveRemovals": list(self.approved),
            "adapters": {"service": service, "types": types},
        }

    def server_settings(
        self, namespace: str, urls: Mapping[str, str], hopeless: frozenset[str]
    ) -> Iterator[dict[str, Any]]:
        """The settings of each server; `hopeless` are those that are unreachable in this run."""
        for name in self.servers:
            patience = IMPATIENT if name in hopeless else PATIENT
            api = {"url": urls[name], "username": "admin", "passwordEnv": PASSWORD_ENV, **patience}
            adapters: dict[str, Any] = {
                "pinned": [{"type": kind, "port": port} for kind, port in self.pinned(name).items()]
            }
            if name == MAIN:
                adapters["service"] = {"annotations": _note(self.note_of_server)}
                adapters["types"] = {"nfs": {"annotations": _note(self.note_of_nfs)}}
            yield {"name": name, "namespace": namespace, "api": api, "adapters": adapters}


def _note(value: str | None) -> dict[str, str]:
    return {} if value is None else {NOTE: value}
