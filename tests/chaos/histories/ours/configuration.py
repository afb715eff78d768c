"""The stack's configuration as the events of a history change it, and the file it is written to."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tests.chaos.histories.events import Configure
from tests.chaos.histories.ours.events import (
    DEPLOYED,
    FOUND,
    HERE,
    NAMED,
    Add,
    ChangeFile,
    Drop,
    FileState,
    Rename,
    SecretPlace,
    Selector,
)
from tests.engine.world import CREDENTIALS, PASSWORD_ENV

COLD: Final = {"tier": "cold"}
"""Label of the found server."""
WARM: Final = {"tier": "warm"}
ALL: Final = {"app": "dittofs-server"}
LABELS: Final = {**ALL, **WARM}
"""Labels of every configured server."""
SELECTORS: Final = {Selector.ALL: ALL, Selector.COLD: COLD, Selector.WARM: WARM}
_DNS: Final = {"backend": "external-dns", "hostname": "{type}-{server}.example.com"}
"""A template whose result is too long for some types."""
_HASTE: Final = {"removalTimeout": "3s"}
"""A deletion that a finalizer holds always lasts as long as this: by default it took most of a history."""

ConfigurationEvent = Add | Drop | Rename | Configure | ChangeFile


@dataclass(frozen=True, slots=True)
class Block:
    """A server in the configuration."""

    api: str
    """Whose API answers for it: a renamed server stays the same server."""
    namespace: int | None = HERE


@dataclass(frozen=True, slots=True)
class Configuration:
    """Every setting that a history changes, with its default."""

    named: Mapping[str, Block] = field(default_factory=lambda: {name: Block(name) for name in NAMED})
    finds: Selector | None = None
    namespace: int = HERE
    absence_polls: int = 2
    hasty: Selector | None = None
    """The servers that `selectors` lets lose an adapter at its first absence."""
    brake: int = 10
    """The number of adapters from which on the brake counts percents."""
    polls_per_run: int = 1
    note: str = "first"
    """An annotation of every Service."""
    secret: SecretPlace | None = None
    """Where an encrypted value is written that cannot be kept secret there."""
    approved: tuple[str, ...] = ()
    file: FileState = FileState.WHOLE

    @property
    def lost(self) -> bool:
        """Whether no server is configured, by name or by selector."""
        return self.file is not FileState.WHOLE or not (self.named or self.finds)

    @property
    def exposes_secret(self) -> bool:
        """Whether the file has an encrypted value that cannot be kept secret."""
        written = self.secret is SecretPlace.ANNOTATION or (self.secret and DEPLOYED in self.named)
        return self.file is FileState.WHOLE and bool(written)

    def absence_polls_of(self, server: str) -> int:
        """How many absences in a row remove an adapter of this server."""
        selected = Selector.WARM if server in self.named else Selector.COLD
        return 1 if self.hasty in (selected, Selector.ALL) else self.absence_polls

    def namespace_of(self, server: str) -> int:
        """The namespace of a configured server."""
        own = self.named[server].namespace
        return self.namespace if own is None else own

    def after(self, event: ConfigurationEvent) -> "Configuration":
        """The configuration after an event."""
        match event:
            case Add(server, namespace):
                api = self.named[server].api if server in self.named else server
                return replace(self, named={**self.named, server: Block(api, namespace)})
            case Drop(server):
                return replace(self, named={n: b for n, b in self.named.items() if n != server})
            case Rename(server) if server in self.named and f"{server}-2" not in self.named:
                renamed = {f"{server}-2" if n == server else n: b for n, b in self.named.items()}
                return replace(self, named=renamed)
            case Configure(key, value):
                return replace(self, **{key: value})  # keys and values come from SETTINGS
            case ChangeFile(file):
                return replace(self, file=file)
        return self

    def document(
        self,
        namespaces: tuple[str, ...],
        urls: Mapping[str, str],
        kubernetes: Mapping[str, object],
        encrypted: Mapping[str, str],
    ) -> dict[str, Any] | None:
        """The `config` block of the stack's file; None if there is none."""
        if self.file in (FileState.MISSING, FileState.EMPTY, FileState.SALT_ONLY):
            return None
        note = encrypted if self.secret is SecretPlace.ANNOTATION else self.note
        prefix = "elsewhere" if self.file is FileState.OTHER_PROJECT else "dittoinfra"
        settings: dict[str, Any] = {
            "servers": [self._block(name, namespaces, urls, encrypted) for name in self.named],
            "namespace": namespaces[self.namespace],
            "absencePolls": self.absence_polls,
            "brake": {"adapters": self.brake},
            "pollsPerRun": self.polls_per_run,
            "pollInterval": "1ms",
            "approveRemovals": list(self.approved),
            "adapters": {"service": {"annotations": {"example.com/note": note}, "dns": _DNS, **_HASTE}},
        }
        if self.finds is not None:
            labels = SELECTORS[self.finds]
            settings["serversFrom"] = [{"selector": {"matchLabels": labels}, "namespaces": list(namespaces)}]
            chosen = {"matchLabels": {"instance": FOUND}}
            settings["selectors"] = [{"selector": chosen, "api": _api(urls[FOUND])}]
        if self.hasty is not None:
            chosen = {"matchLabels": SELECTORS[self.hasty]}
            settings.setdefault("selectors", []).append({"selector": chosen, "absencePolls": 1})
        ours = {f"{prefix}:{key}": value for key, value in settings.items()}
        return ours | {f"kubernetes:{key}": value for key, value in kubernetes.items()}

    def _block(
        self,
        name: str,
        namespaces: tuple[str, ...],
        urls: Mapping[str, str],
        encrypted: Mapping[str, str],
    ) -> dict[str, Any]:
        block = self.named[name]
        written: dict[str, Any] = {"name": name, "labels": LABELS, "api": _api(urls[block.api])}
        if block.namespace is not None:
            written["namespace"] = namespaces[block.namespace]
        if name == DEPLOYED:
            odd: Mapping[SecretPlace | None, dict[str, Any]] = {
                SecretPlace.ENV: {"env": [{"name": "NOTE", "value": encrypted}]},
                SecretPlace.EXTRA: {"config": {"extra": {"note": encrypted}}},
            }
            written["deploy"] = {"credentials": CREDENTIALS, **odd.get(self.secret, {})}
        return written


def _api(url: str) -> dict[str, str]:
    # Patient: a busy machine must not look like an outage.
    return {
        "url": url,
        "username": "admin",
        "passwordEnv": PASSWORD_ENV,
        "deadline": "60s",
        "requestTimeout": "30s",
    }
