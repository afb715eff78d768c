"""The data of a history: runs, each with its settings and its polls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from dittoinfra.model import Outcome
from dittoinfra.settings import Deploy, ServerSettings, TypeSettings, service_settings
from tests.pure.decide.make import server

TYPES = ("NFS", "ftp", "nfs", "nfs-udp", "object-gateway", "smb")
"""Two that end in one name, one named like the UDP Service of both, one whose port name is cut."""

PORTS = (111, 2049, 5353, 5357, 8080, 10111, 12049, 12445)
"""Among them the extras' own and the API's."""

ABSENCE_POLLS = (1, 2, 3)
REMOVALS = ("sync", "never")
NOT_RUNNING = ("keep", "remove")
PINS: tuple[tuple[tuple[str, int], ...], ...] = (
    (),
    (("nfs", 2049),),
    (("smb", 12445),),
    (("NFS", 2049), ("ftp", 5357)),
)
EXPOSURES: tuple[Mapping[str, object], ...] = (
    {},
    {"service": {"preset": "operator"}},
    {"service": {"extras": {"udp": True, "mdns": True}}, "types": {"nfs": {"servicePort": 5353}}},
)
DEPLOYS = (None, Deploy.model_validate({"metrics": {"enabled": True, "port": 10111}}))


@dataclass(frozen=True, slots=True)
class Rules:
    """The settings of a run; cached by `server_of`, because validation is slow."""

    absence_polls: int
    removal: str
    pins: tuple[tuple[str, int], ...] = ()
    not_running: str = "keep"


@dataclass(frozen=True, slots=True)
class Run:
    """One run: its settings, its polls, and a Service whose port was lost before it."""

    rules: Rules
    polls: Sequence[Outcome]
    port_lost: str | None = None


@dataclass(frozen=True, slots=True)
class History:
    """The runs of one server. Its exposure is constant, so that ports change for no other reason."""

    exposure: int
    deploy: int
    runs: Sequence[Run]


@cache
def server_of(rules: Rules) -> ServerSettings:
    """The server's settings in a run."""
    return server(
        absencePolls=rules.absence_polls,
        removal=rules.removal,
        notRunning=rules.not_running,
        adapters={"pinned": [{"type": name, "port": port} for name, port in rules.pins]},
    )


@cache
def exposed(exposure: int) -> Mapping[str, TypeSettings]:
    """The exposure of each adapter type."""
    settings = server(adapters=EXPOSURES[exposure])
    return {adapter_type: service_settings(settings, adapter_type) for adapter_type in TYPES}
