"""The stack's configuration as the events of a history change it, and the file it is written to."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tests.chaos.histories.ours.events import (
    DEPLOYED,
    FOUND,
    HERE,
    NAMED,
    Add,
    ChangeFile,
    Configure,
    Drop,
    FileState,
    Rename,
    Selector,
)
from tests.engine.world import CREDENTIALS, PASSWORD_ENV

SELECTORS: Final = {
    Selector.ALL: {"app": "dittofs-server"},
    Selector.COLD: {"tier": "cold"},
    Selector.WARM: {"tier": "warm"},
}
COLD: Final = {"tier": "cold"}
"""Label of the found server."""
_DNS: Final = {"backend": "external-dns", "hostname": "{type}-{server}.example.com"}
"""A template whose result is too long for some types."""

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
    polls_per_run: int = 1
    note: str = "first"
    """An annotation of every Service."""
    secret: bool = False
    """Whether the value of that annotation is encrypted, which no Service can keep secret."""
    approved: tuple[str, ...] = ()
    file: FileState = FileState.WHOLE

    @property
    def lost(self) -> bool:
        """Whether no server is configured, by name or by selector."""
        return self.file is not FileState.WHOLE or not (self.named or self.finds)

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
                return replace(self, **{key: value})  # type: ignore[arg-type]  # keys and values come from SETTINGS
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
        note = encrypted if self.secret else self.note
        prefix = "elsewhere" if self.file is FileState.OTHER_PROJECT else "dittoinfra"
        settings: dict[str, Any] = {
            "servers": [self._block(name, namespaces, urls) for name in self.named],
            "namespace": namespaces[self.namespace],
            "absencePolls": self.absence_polls,
            "pollsPerRun": self.polls_per_run,
            "pollInterval": "1ms",
            "approveRemovals": list(self.approved),
            "adapters": {"service": {"annotations": {"example.com/note": note}, "dns": _DNS}},
        }
        if self.finds is not None:
            labels = SELECTORS[self.finds]
            settings["serversFrom"] = [{"selector": {"matchLabels": labels}, "namespaces": list(namespaces)}]
            chosen = {"matchLabels": {"instance": FOUND}}
            settings["selectors"] = [{"selector": chosen, "api": _api(urls[FOUND])}]
        ours = {f"{prefix}:{key}": value for key, value in settings.items()}
        return ours | {f"kubernetes:{key}": value for key, value in kubernetes.items()}

    def _block(self, name: str, namespaces: tuple[str, ...], urls: Mapping[str, str]) -> dict[str, Any]:
        block = self.named[name]
        written: dict[str, Any] = {"name": name, "api": _api(urls[block.api])}
        if block.namespace is not None:
            written["namespace"] = namespaces[block.namespace]
        if name == DEPLOYED:
            written["deploy"] = {"credentials": CREDENTIALS}
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
