"""How the APIs of a stack's servers are reached by whoever is not a run of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dittoinfra.automation.configuration import Configuration
from dittoinfra.automation.stack import ProjectStack
from dittoinfra.cluster.live import LiveCluster
from dittoinfra.cluster.rules import Rule
from dittoinfra.dittofs import ApiAccess, NotAsked
from dittoinfra.program.access import resolve_all
from dittoinfra.program.inside import Inside
from dittoinfra.settings import ServerSettings, StackSettings, effective_servers


@dataclass(frozen=True, slots=True)
class Reach:
    """The ways to the configured servers of one stack."""

    configuration: Configuration
    settings: StackSettings
    environment: Mapping[str, str]
    root: Path

    @classmethod
    def of(cls, stack: ProjectStack, configuration: Configuration, settings: StackSettings) -> "Reach":
        """Those of a stack as it is configured."""
        return cls(configuration, settings, stack.environment, stack.root)

    @property
    def servers(self) -> tuple[ServerSettings, ...]:
        """Every configured server, with all layers of settings."""
        return effective_servers(self.settings)

    def to(self, server: str) -> ApiAccess | NotAsked:
        """The way to one server, or `ConfigurationError`.

        To be asked for anew each time: what leads through a cluster belongs to the loop that uses it first.
        """
        return self._resolved(self._inside())[server]

    def needed(self) -> Mapping[str, frozenset[Rule]]:
        """What the ways through the cluster need to be allowed, by namespace, or `ConfigurationError`."""
        inside = self._inside()
        self._resolved(inside)
        return inside.needed if inside is not None else {}

    def _resolved(self, inside: Inside | None) -> Mapping[str, ApiAccess | NotAsked]:
        return resolve_all(self.servers, self.settings.passwords, self.environment, self.root, inside)

    def _inside(self) -> Inside | None:
        if self.configuration.manifests is not None:
            return None
        return Inside(
            LiveCluster(self.configuration.kubeconfig(self.environment), self.configuration.context)
        )
