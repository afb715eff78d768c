"""Which store serves which engine: several may be attached at once, each with its own configuration."""

import threading
from dataclasses import dataclass
from pathlib import Path

from dittoinfra.cluster import connect
from dittoinfra.standin.api import ApiStore
from dittoinfra.standin.errors import NotConfiguredError
from dittoinfra.standin.folder import FolderStore
from dittoinfra.standin.properties import Properties
from dittoinfra.standin.store import Store
from dittoinfra.standin.target import ResourceUrn


@dataclass(frozen=True, slots=True)
class Destination:
    """The part of a provider's configuration that decides where objects go."""

    manifests: str | None
    kubeconfig: str | None
    context: str | None

    def open(self) -> Store:
        """A folder when one is named, otherwise the cluster."""
        if self.manifests:
            return FolderStore(Path(self.manifests))
        return ApiStore(connect(self.kubeconfig, self.context))


@dataclass(frozen=True, slots=True)
class Session:
    """What one engine's provider resource was configured to do."""

    store: Store
    default_namespace: str
    take_over: bool
    """The official provider's `upsertExistingObjects`: adopt what exists instead of refusing it."""


class Sessions:
    """Remembers configurations by connection, and opens each destination once."""

    def __init__(self, fixed: Store | None) -> None:
        self._fixed = fixed
        self._opened: dict[Destination, Store] = {}
        self._by_peer: dict[str, Session] = {}
        self._by_stack: dict[tuple[str, str], Session] = {}
        self._lock = threading.Lock()

    def configure(self, peer: str, urn: str, configuration: Properties) -> None:
        """Take over an engine's configuration for everything else that comes through the same connection."""
        store = self._fixed or self._store(_destination(configuration))
        session = Session(
            store=store,
            default_namespace=_text(configuration, "namespace") or store.default_namespace,
            take_over=_text(configuration, "upsertExistingObjects") == "true",
        )
        parsed = ResourceUrn.parse(urn)
        with self._lock:
            self._by_peer[peer] = session
            self._by_stack[parsed.stack, parsed.project] = session

    def find(self, peer: str, urn: ResourceUrn) -> Session:
        """The session of a connection; of the stack, when an idle engine had to connect anew."""
        with self._lock:
            session = self._by_peer.get(peer) or self._by_stack.get((urn.stack, urn.project))
        if session is None:
            raise NotConfiguredError(
                f"stack {urn.stack} has not configured the stand-in Kubernetes provider yet"
            )
        return session

    def close(self) -> None:
        """Close the stores opened here; a fixed one belongs to whoever made it."""
        for store in self._opened.values():
            store.close()

    def _store(self, destination: Destination) -> Store:
        with self._lock:
            if destination not in self._opened:
                self._opened[destination] = destination.open()
            return self._opened[destination]


def _destination(configuration: Properties) -> Destination:
    return Destination(
        manifests=_text(configuration, "renderYamlToDirectory"),
        kubeconfig=_text(configuration, "kubeconfig"),
        context=_text(configuration, "context"),
    )


def _text(configuration: Properties, key: str) -> str | None:
    """A setting as text: `true` comes as a boolean or as a string, depending on where it was set."""
    value = configuration.get(key)
    if isinstance(value, bool):
        return "true" if value else None
    return str(value) if value else None
