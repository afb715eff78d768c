"""What a stack is configured with."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from dittoinfra.settings import StackSettings, load
from dittoinfra.settings.problems import NAMESPACE


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a stack is configured with, as the engine would hand it over."""

    values: Mapping[str, str] = field(repr=False)
    """By full key; lists and blocks as JSON, the project's defaults included."""
    encrypted: frozenset[str]
    """Keys that are secret, or have a secret in them."""
    inherited: frozenset[str] = frozenset()
    """Keys that the stack says nothing about: their value is the project's default."""

    @property
    def manifests(self) -> str | None:
        """Where the provider writes manifests to, in place of a cluster."""
        return self.values.get("kubernetes:renderYamlToDirectory") or None

    def kubeconfig(self, environ: Mapping[str, str]) -> str | None:
        """The kubeconfig that the provider uses; None where it looks for one itself."""
        return self.values.get("kubernetes:kubeconfig") or environ.get("KUBECONFIG") or None

    @property
    def context(self) -> str | None:
        """The context in it."""
        return self.values.get("kubernetes:context") or None

    def settings(self) -> StackSettings:
        """The part that is this project's, validated, or `ConfigurationError`."""
        return self._loaded(self.values.keys())

    def own_settings(self) -> StackSettings:
        """The same, without what the project says for every stack."""
        return self._loaded(self.values.keys() - self.inherited)

    def _loaded(self, keys: Set[str]) -> StackSettings:
        prefix = f"{NAMESPACE}:"
        ours = {key.removeprefix(prefix): self.values[key] for key in keys if key.startswith(prefix)}
        return load(ours, {key.removeprefix(prefix) for key in self.encrypted})
