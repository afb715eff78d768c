"""Every adapter of one server, with the unexpected behaviour of the real server."""

import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from lab.simulator.adapter import DEFAULT_PORTS, FIRST_BOOT_PORTS, HIGHEST_PORT, Adapter
from lab.simulator.answers import JSON
from lab.simulator.clock import now
from lab.simulator.versions import ServerVersion


class AdapterMissingError(Exception):
    """No row of that type."""


class AdapterExistsError(Exception):
    """There is a row of that type already."""


class UnknownAdapterTypeError(Exception):
    """The server cannot make an adapter of that type; types are case-sensitive."""


class AdapterRefusedError(Exception):
    """The server checks adapters before it stores them, and says what is wrong."""


class AdapterPanickedError(Exception):
    """The server stored an invalid port and panicked when it started the adapter."""


class AdapterNotStartedError(Exception):
    """The adapter cannot listen, and the server waited for it: the reason."""


class AdapterTable:
    """The rows; thread-safe."""

    def __init__(
        self, version: ServerVersion, taken_ports: Collection[int], shutdown_timeout: float | None
    ) -> None:
        self.version = version
        self._taken_ports = taken_ports
        self._shutdown_timeout = shutdown_timeout
        self._changed = threading.Condition()
        self._rows: dict[str, Adapter] = {}
        self._restarts_held = False
        self._listed = 0
        self.boot()

    def boot(self) -> None:
        """Start: restore missing default rows, and run what is enabled."""
        with self._changed:
            for adapter_type, port in FIRST_BOOT_PORTS.items():
                self._rows.setdefault(adapter_type, Adapter(adapter_type, port))
            self._rows = {name: replace(row, running=False) for name, row in self._rows.items()}
            for row in self._rows.values():
                running = row.enabled and (not self.version.waits_for_listener or self._can_listen(row))
                self._rows[row.type] = replace(row, running=running)

    def listed(self) -> tuple[Adapter, ...]:
        """All rows, starting with another one each time: the real query has no ORDER BY."""
        with self._changed:
            rows = tuple(self._rows.values())
            first = self._listed % len(rows) if rows else 0
            self._listed += 1
            return rows[first:] + rows[:first]

    def get(self, adapter_type: str) -> Adapter:
        with self._changed:
            return self._row(adapter_type)

    def snapshot(self) -> Mapping[str, Adapter]:
        with self._changed:
            return dict(self._rows)

    def rewrite(self, adapter_type: str, change: Callable[[Adapter], Adapter]) -> None:
        """Change or add a row without side effects; for scripts."""
        with self._changed:
            self._rows[adapter_type] = change(self._rows.get(adapter_type) or Adapter(adapter_type, 0))

    def create(self, adapter_type: str, port: int, config: Mapping[str, JSON]) -> Adapter:
        """Store and start a new adapter; one requested as disabled is enabled all the same."""
        with self._changed:
            created = Adapter(adapter_type, port, running=False, config=config)
            self._check(created)
            if adapter_type in self._rows:
                raise AdapterExistsError
            if adapter_type not in DEFAULT_PORTS:
                raise UnknownAdapterTypeError
            self._rows[adapter_type] = created
            try:
                return self._start(adapter_type)
            except AdapterNotStartedError:
                del self._rows[adapter_type]
                raise

    def update(
        self,
        adapter_type: str,
        port: int | None = None,
        enabled: bool | None = None,
        config: Mapping[str, JSON] | None = None,
    ) -> Adapter:
        """Store the given fields, and restart the adapter if its listener has changed."""
        with self._changed:
            before = self._row(adapter_type)
            after = replace(
                before,
                port=before.port if port is None else port,
                enabled=before.enabled if enabled is None else enabled,
                config=before.config if config is None else config,
                updated_at=now(),
            )
            self._check(after)
            keeps_listening = before.running and after.enabled and before.listener == after.listener
            stopping = before.running and self.version.runs_while_stopping
            self._rows[adapter_type] = replace(after, running=keeps_listening or stopping)
            if not keeps_listening:
                self._stop(adapter_type)
            row = self._row(adapter_type)
            return row if row.running or not row.enabled else self._start(adapter_type)

    def update_settings(self, adapter_type: str, changes: Mapping[str, JSON]) -> Adapter:
        with self._changed:
            row = self._row(adapter_type)
            self._rows[adapter_type] = changed = replace(
                row,
                changed_settings={**row.changed_settings, **changes},
                settings_version=row.settings_version + 1,
            )
            return changed

    def remove(self, adapter_type: str) -> None:
        with self._changed:
            del self._rows[self._row(adapter_type).type]

    def hold_restarts(self) -> None:
        with self._changed:
            self._restarts_held = True

    def release_restarts(self) -> None:
        with self._changed:
            self._restarts_held = False
            self._changed.notify_all()

    def _row(self, adapter_type: str) -> Adapter:
        try:
            return self._rows[adapter_type]
        except KeyError:
            raise AdapterMissingError from None

    def _check(self, row: Adapter) -> None:
        if not self.version.checks_adapters:
            return
        if row.type not in DEFAULT_PORTS:
            raise AdapterRefusedError(
                f'unsupported adapter type "{row.type}": must be one of {", ".join(DEFAULT_PORTS)}'
            )
        if not 0 <= row.port <= HIGHEST_PORT:
            raise AdapterRefusedError(f"invalid port {row.port}: must be 0-{HIGHEST_PORT}")

    def _stop(self, adapter_type: str) -> None:
        # The window: until the old listener is gone, everybody else reads what the version says of it.
        gone = self._changed.wait_for(lambda: not self._restarts_held, self._shutdown_timeout)
        row = self._row(adapter_type)
        self._rows[adapter_type] = replace(row, running=False)
        if not gone and row.enabled and self.version.waits_for_listener:
            raise AdapterNotStartedError(
                f"adapter {adapter_type} did not confirm shutdown and still holds its socket"
            )

    def _start(self, adapter_type: str) -> Adapter:
        row = self._row(adapter_type)
        # Only too high a port is noticed, and only once it has been stored; a negative one "runs".
        if row.port > HIGHEST_PORT:
            raise AdapterPanickedError
        if self.version.waits_for_listener and not self._can_listen(row):
            host, port = row.listener
            raise AdapterNotStartedError(
                f"failed to create {adapter_type.upper()} listener on port {port}: "
                f"listen tcp {host}:{port}: bind: address already in use"
            )
        self._rows[adapter_type] = running = replace(row, running=True)
        return running

    def _can_listen(self, row: Adapter) -> bool:
        _, port = row.listener
        others = {other.listener[1] for other in self._rows.values() if other.running}
        return port not in self._taken_ports and port not in others
