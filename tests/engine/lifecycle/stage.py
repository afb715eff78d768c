"""The environment of a scenario: a stack, a namespace of the real Kubernetes API, and a DittoFS server."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from dittoinfra.changes import Changes
from dittoinfra.stacks.result import RunReport
from lab.bed.certificates import Tls
from lab.bed.credentials import credential
from lab.bed.dittofs import SHUTDOWN_SECONDS, DittoFSServer
from tests.engine.namespace import Namespace, identity
from tests.engine.world import PASSWORD_ENV, World

READER: Final = "dittoinfra"
"""A user of the role `user`, which may read the adapters' ports and nothing else."""

NOTHING_CHANGES: Final = Changes(same=4)
"""The stack, the server's component, and a component with a Service for each of two adapters."""

ABSENCES: Final = "dittofs.io/absence-count"

Identity = tuple[str, str, list[int]]


def not_running(adapter_type: str, port: int) -> str:
    """The warning about an adapter that is enabled but not running."""
    kept = f"{adapter_type} is enabled but not running: kept on port {port}"
    return f"media: {kept}; start or disable it on the server"


def nonsense(url: str, what: str) -> str:
    """The warning about an invalid answer."""
    return (
        f"media: nonsense: {url}/api/v1/adapters/ports: the answer {what}; "
        "check that api.url leads to a DittoFS API, and its log; 2 remembered adapters kept as is"
    )


@dataclass(frozen=True)
class ServerOptions:
    """Options of a scenario's server; times are in seconds."""

    tls: Tls | None = None
    access_lifetime: int = 900
    refresh_lifetime: int = 604_800
    shutdown_timeout: float = SHUTDOWN_SECONDS


@dataclass
class Stage:
    """The stack under test, with its Services by adapter type."""

    world: World
    namespace: Namespace
    dittofs: DittoFSServer
    _secrets: list[str] = field(default_factory=list, repr=False)

    def configure(self, *, api: Mapping[str, object] | None = None, **settings: object) -> None:
        """Write the stack's configuration: this server, as an existing one by default."""
        reached = {
            "url": self.dittofs.url,
            "username": READER,
            "passwordEnv": PASSWORD_ENV,
            # Busy machines are slow, and only a server that is down makes anybody wait so long.
            "requestTimeout": "20s",
            "deadline": "60s",
            **(api or {}),
        }
        self.world.configure({"name": "media", "namespace": self.namespace.name, "api": reached, **settings})

    def new_secret(self, purpose: str) -> str:
        """A credential that must never be in the state."""
        self._secrets.append(credential(purpose))
        return self._secrets[-1]

    def up(self) -> RunReport:
        return self.world.up()

    def services(self) -> dict[str, dict[str, Any]]:
        """The adapters' Services by type."""
        prefix = "media-adapter-"
        found = self.namespace.services().items()
        return {name.removeprefix(prefix): service for name, service in found if name.startswith(prefix)}

    def ports(self) -> dict[str, int]:
        """The target ports of the Services by type."""
        return {kind: each["spec"]["ports"][0]["targetPort"] for kind, each in self.services().items()}

    def served_ports(self) -> dict[str, int]:
        """The ports that the server reports."""
        return {kind: each["port"] for kind, each in self.dittofs.adapters().items()}

    def identities(self) -> dict[str, Identity]:
        """The identity of each Service: what clients and clouds depend on."""
        return {kind: identity(service) for kind, service in self.services().items()}

    def absences(self) -> dict[str, str | None]:
        """The absence counts by type."""
        return {
            kind: each["metadata"].get("annotations", {}).get(ABSENCES)
            for kind, each in self.services().items()
        }

    def assert_kept(self, outcome: str) -> None:
        """A run without a usable answer warns like this and writes to no Service."""
        before = self.services()

        report = self.up()

        assert report.changes == NOTHING_CHANGES
        assert report.lines("warning") == [f"media: {outcome}; 2 remembered adapters kept as is"]
        assert self.services() == before

    def assert_warned(self, report: RunReport, line: str | None) -> None:
        """The only warning of a run; None for no warning."""
        assert report.lines("warning") == ([] if line is None else [line])

    def assert_settled(self) -> None:
        """Another run changes nothing and warns of nothing."""
        report = self.up()
        assert not report.changes.any, report.steps
        assert report.lines("warning") == []
        assert self.ports() == self.served_ports()

    def assert_no_secrets(self) -> None:
        """No password used here is in the state."""
        state = str(self.world.stack.export())
        known = [self.world.password, self.world.passphrase, self.dittofs.admin_password, *self._secrets]
        # Not compared in the open: a failure is written down too.
        found = sum(secret in state for secret in known)
        del state, known
        assert found == 0, f"{found} passwords are in the state"
