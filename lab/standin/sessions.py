"""Which store serves which engine: several may be attached at once, each with its own configuration."""

import os
import threading
from dataclasses import dataclass, field
from pathlib import Path

from dittoinfra.kubernetes import connect
from lab.standin.api import ApiStore
from lab.standin.errors import NotConfiguredError
from lab.standin.properties import Properties, plain
from lab.standin.render import RenderStore
from lab.standin.store import Store
from lab.standin.target import ResourceUrn
from lab.standin.terms import Settings

_VARIABLES = {
    "upsertExistingObjects": "PULUMI_K8S_UPSERT_EXISTING_OBJECTS",
    "enablePatchForce": "PULUMI_K8S_ENABLE_PATCH_FORCE",
    "enableConfigMapMutable": "PULUMI_K8S_ENABLE_CONFIGMAP_MUTABLE",
    "enableSecretMutable": "PULUMI_K8S_ENABLE_SECRET_MUTABLE",
}
"""Where a setting is looked for that the configuration does not have."""


@dataclass(frozen=True, slots=True)
class Destination:
    """The part of a provider's configuration that decides where objects go."""

    manifests: str | None
    kubeconfig: str | None
    context: str | None

    def open(self) -> Store:
        """A folder when one is named, otherwise the cluster."""
        if self.manifests:
            return RenderStore(Path(self.manifests))
        return ApiStore(connect(self.kubeconfig, self.context))


@dataclass(frozen=True, slots=True)
class Session:
    """What one engine's provider resource was configured to do."""

    store: Store
    default_namespace: str
    settings: Settings
    engine: str
    """The address of the engine, empty when it gave none."""
    cancelled: threading.Event = field(default_factory=threading.Event)

    @property
    def renders(self) -> bool:
        """Whether manifests are written for others to apply."""
        return isinstance(self.store, RenderStore)


class Sessions:
    """Remembers configurations by connection, and opens each destination once."""

    def __init__(self, fixed: Store | None) -> None:
        self._fixed = fixed
        self._opened: dict[Destination, Store] = {}
        self._engines: dict[str, str] = {}
        self._by_peer: dict[str, Session] = {}
        self._by_stack: dict[tuple[str, str], Session] = {}
        self._lock = threading.Lock()

    def attach(self, peer: str, engine: str) -> None:
        """Remember where the engine at the other end of a connection listens."""
        with self._lock:
            self._engines[peer] = engine

    def configure(self, peer: str, urn: str, configuration: Properties) -> None:
        """Take over an engine's configuration for everything else that comes through the same connection."""
        configuration = plain(configuration)
        store = self._fixed or self._store(_destination(configuration))
        session = Session(
            store=store,
            default_namespace=_text(configuration, "namespace") or store.default_namespace,
            settings=_settings(configuration),
            engine=self._engines.get(peer, ""),
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

    def cancel(self, peer: str | None = None) -> None:
        """Have a connection's operations, or all, give up what they wait for."""
        with self._lock:
            found = self._by_peer.values() if peer is None else filter(None, [self._by_peer.get(peer)])
            for session in found:
                session.cancelled.set()

    def close(self) -> None:
        """Close the stores opened here; a fixed one is closed where it was made."""
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


def _settings(configuration: Properties) -> Settings:
    def is_on(name: str) -> bool:
        if name in configuration:
            return _text(configuration, name) == "true"
        return os.environ.get(_VARIABLES[name]) == "true"

    return Settings(
        upsert_existing_objects=is_on("upsertExistingObjects"),
        enable_patch_force=is_on("enablePatchForce"),
        enable_config_map_mutable=is_on("enableConfigMapMutable"),
        enable_secret_mutable=is_on("enableSecretMutable"),
    )


def _text(configuration: Properties, key: str) -> str | None:
    """A setting as text: `true` comes as a boolean or as a string, depending on where it was set."""
    value = configuration.get(key)
    if isinstance(value, bool):
        return "true" if value else None
    return str(value) if value else None
