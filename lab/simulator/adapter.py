"""One adapter: its stored fields, and its forms in the API."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from lab.simulator.adapter_settings import default_settings
from lab.simulator.answers import JSON, timestamp
from lab.simulator.clock import now
from lab.simulator.versions import ServerVersion

# Facts about a foreign program, stated here once more on purpose: a simulator that took them from the
# code it is there to test would agree with every mistake in it.
FIRST_BOOT_PORTS: Final[Mapping[str, int]] = {"nfs": 12049, "smb": 1445}
DEFAULT_PORTS: Final[Mapping[str, int]] = {"nfs": 12049, "smb": 12445}
HIGHEST_PORT: Final = 65535


@dataclass(frozen=True)
class Adapter:
    """A row of the server's adapter table, and whether the adapter runs."""

    type: str
    port: int
    enabled: bool = True
    running: bool = True
    config: Mapping[str, JSON] = field(default_factory=dict)
    changed_settings: Mapping[str, JSON] = field(default_factory=dict)
    settings_version: int = 1
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)

    @property
    def listener(self) -> tuple[JSON, int]:
        """The fields whose change restarts a running adapter."""
        port = self.port or DEFAULT_PORTS.get(self.type, 0)
        return self.config.get("bind_address", ""), port

    def shown_ports(self) -> Mapping[str, JSON]:
        """The short form, for all users."""
        return {"type": self.type, "port": self.port, "enabled": self.enabled, "running": self.running}

    def shown(self) -> Mapping[str, JSON]:
        """The full form; an empty config is left out, a non-empty one is not redacted."""
        config: Mapping[str, JSON] = {"config": self.config} if self.config else {}
        return {
            "id": self.id,
            "type": self.type,
            "enabled": self.enabled,
            "running": self.running,
            "port": self.port,
            **config,
            "created_at": timestamp(self.created_at),
            "updated_at": timestamp(self.updated_at),
            "status": self.shown_status(),
        }

    def shown_status(self) -> Mapping[str, JSON]:
        checked = {"checked_at": timestamp(now())}
        if self.running:
            return {"status": "healthy", **checked}
        return {"status": "unknown", "message": f"adapter {self.type} not running", **checked}

    def shown_settings(self, version: ServerVersion) -> Mapping[str, JSON]:
        defaults = default_settings(version).get(self.type, {})
        return {**defaults, **self.changed_settings, "version": self.settings_version}
