"""Keys of a whole configuration that are not read, because their names are misspelt."""

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Final

from dittoinfra.settings.problems import NAMESPACE, Problem, SettingPath
from dittoinfra.settings.provider import PROVIDER_NAMESPACE

PROVIDER_KEYS: Final = (
    "alwaysRender",
    "cluster",
    "clusterIdentifier",
    "context",
    "deleteUnreachable",
    "enableConfigMapMutable",
    "enablePatchForce",
    "enableSecretMutable",
    "enableServerSideApply",
    "helmReleaseSettings",
    "kubeClientSettings",
    "kubeconfig",
    "namespace",
    "renderYamlToDirectory",
    "skipUpdateUnreachable",
    "suppressDeprecationWarnings",
    "suppressHelmHookWarnings",
    "upsertExistingObjects",
)
"""What the Kubernetes provider reads."""

_ALIKE = 0.8
"""Only what is certainly meant for another name is refused: other namespaces and keys belong to others."""


def misnamed_keys(values: Mapping[str, str], project: str) -> Iterator[Problem]:
    """Keys, by their full names, that are close to one that would be read.

    A misspelt `kubernetes:context` would otherwise silently select another cluster. Unknown settings
    are found with the known ones, keys under the project's own name are the user's, and servers under another
    name have their own message.
    """
    for key in values:
        namespace, _, name = key.partition(":")
        meant = None
        if namespace == PROVIDER_NAMESPACE:
            near = _near(name, PROVIDER_KEYS)
            meant = near and f"{namespace}:{near}"
        elif namespace != project and name not in ("servers", "serversFrom"):
            near = _near(namespace, (NAMESPACE, PROVIDER_NAMESPACE))
            meant = near and f"{near}:{name}"
        if meant is not None:
            yield Problem(SettingPath((name,), namespace), f"is not a setting; did you mean {meant!r}?")


def _near(word: str, known: Collection[str]) -> str | None:
    """The known word that this one is a misspelling of; None where it is known, or like none."""
    if word in known:
        return None
    by_lower = {each.lower(): each for each in known}
    near = get_close_matches(word.lower(), by_lower, n=1, cutoff=_ALIKE)
    return by_lower[near[0]] if near else None
