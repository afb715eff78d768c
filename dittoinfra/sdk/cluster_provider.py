"""The Kubernetes provider that a component's objects have: where it leads, and whether it suits them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypedDict

import pulumi

from dittoinfra.kubernetes.credentials import read_kubeconfigs
from dittoinfra.program.engine_inputs import read_configuration
from dittoinfra.settings import Problem, SettingPath
from dittoinfra.settings.provider import PROVIDER, cluster_key, provider_problems
from dittoinfra.state import ServerPlace, held_providers
from dittoinfra.urns import SERVICE, resource_name


class ProviderSettings(TypedDict):
    """Settings of a Kubernetes provider, as the arguments of its class."""

    enable_config_map_mutable: bool
    enable_patch_force: bool
    enable_secret_mutable: bool
    upsert_existing_objects: bool


PROVIDER_SETTINGS: Final[ProviderSettings] = {
    "enable_config_map_mutable": True,
    "enable_patch_force": True,
    "enable_secret_mutable": True,
    "upsert_existing_objects": True,
}
"""What a Kubernetes provider for these components is made with: `Provider(..., **PROVIDER_SETTINGS)`."""

_LEADS_TO_CLUSTER = frozenset({"cluster", "context", "kubeconfig"})


@dataclass(frozen=True, slots=True)
class ClusterProvider:
    """The provider of a component's objects."""

    name: str | None
    """None for the default one, which the stack's configuration sets up."""
    values: Mapping[str, str] = field(repr=False)
    """Its settings by their full keys, as a stack's configuration would have them."""
    unknown: frozenset[str] = frozenset()
    """Settings that a preview does not know yet."""
    kubeconfigs: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The files that its settings, and those of the state's providers, name."""

    @property
    def unseen(self) -> str:
        """Why the cluster cannot be looked into; empty where it can."""
        return "its cluster is not known before the update" if self.unknown & _LEADS_TO_CLUSTER else ""

    @property
    def settings(self) -> Mapping[str, str]:
        """Its settings without their namespace."""
        return {key.removeprefix(PROVIDER): value for key, value in self.values.items()}

    @property
    def cluster(self) -> str:
        """Equal for providers of the same cluster or folder; another for each while that is unknown."""
        return f"of {self.name}" if self.unseen else cluster_key(self.settings, self.kubeconfigs)

    def place(self, namespace: str) -> ServerPlace:
        """Where a component with this provider has its objects."""
        return ServerPlace(namespace, self.name, self.settings, self.kubeconfigs)

    def problems(self, *, remote: bool) -> tuple[Problem, ...]:
        """What the provider lacks for our objects, in one line; `remote` for programs in other languages."""
        found = (str(SettingPath(problem.path.steps)) for problem in provider_problems(self.values))
        lacking = [name for name in found if name not in self.unknown]
        if not lacking:
            return ()
        names = ", ".join(lacking)
        settings = "these settings" if remote else "`**dittoinfra.PROVIDER_SETTINGS`"
        if self.name is None:
            default = " and ".join(f"`pulumi config set {PROVIDER}{name} true`" for name in lacking)
            who, then = "the default Kubernetes provider", f"{default}, or pass a provider with"
        else:
            who, then = (
                f"the Kubernetes provider {self.name}",
                "make it, or one for this component alone, with",
            )
        return (
            Problem(
                SettingPath(("provider",)),
                f"{who} must have {names} set to true, so that objects are created by server-side apply and "
                f"updated in place: {then} {settings}",
            ),
        )


async def cluster_provider(component: pulumi.Resource, resources: Mapping[str, Any]) -> ClusterProvider:
    """The provider that the component's children get; `resources` are all that the state holds."""
    known = await _known_provider(component)
    return replace(known, kubeconfigs=read_kubeconfigs((known.settings, *held_providers(resources))))


async def _known_provider(component: pulumi.Resource) -> ClusterProvider:
    provider = component.get_provider(SERVICE)
    if provider is None:
        configured = read_configuration(Path.cwd()).values
        return ClusterProvider(None, {key: v for key, v in configured.items() if key.startswith(PROVIDER)})
    urn = str(await provider.urn.future(with_unknowns=True))
    # The SDK's object does not tell all of its settings; the engine does, whichever process made it.
    answer = await pulumi.runtime.invoke_async("pulumi:pulumi:getResource", {"urn": urn})
    settings: Mapping[str, Any] = answer["state"]
    unknown = {key for key, value in settings.items() if pulumi.contains_unknowns(value)}
    return ClusterProvider(
        resource_name(urn),
        {f"{PROVIDER}{key}": str(value) for key, value in settings.items() if key not in unknown},
        unknown=frozenset(unknown),
    )
