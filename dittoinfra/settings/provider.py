"""The Kubernetes provider's own settings: which ones our objects need, and what a change of them means."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import yaml

from dittoinfra.settings.problems import Problem, SettingPath

PROVIDER_NAMESPACE: Final = "kubernetes"
PROVIDER: Final = f"{PROVIDER_NAMESPACE}:"

NEEDED: Final[Mapping[str, str]] = {
    "upsertExistingObjects": "objects are created by server-side apply, without which the first move of a "
    "port cannot be previewed",
    "enablePatchForce": "a declared field that was edited by hand is set back instead of blocking every run",
    "enableConfigMapMutable": "a ConfigMap is updated in place, not deleted and created anew",
    "enableSecretMutable": "a Secret is updated in place, not deleted and created anew",
}
"""Settings of the provider that must be on, and what each is for. `Pulumi.yaml` gives them to every stack."""

NEEDED_IN_PROJECT: Final[Mapping[str, str]] = dict.fromkeys((PROVIDER + name for name in NEEDED), "true")
"""Those settings as they are written under `config:` in `Pulumi.yaml`."""

_SERVER_SIDE_APPLY: Final = "enableServerSideApply"
_RENDERS: Final = "renderYamlToDirectory"
_IDENTIFIER: Final = "clusterIdentifier"
_LEADS_TO_CLUSTER: Final = ("kubeconfig", "context", "cluster")


def provider_problems(values: Mapping[str, str]) -> Iterator[Problem]:
    """What a stack's whole configuration, by full key, must change before its objects can be declared."""
    if values.get(PROVIDER + _RENDERS):
        return  # manifests go through no API
    for name, purpose in NEEDED.items():
        value = values.get(PROVIDER + name)
        if not _is_true(value):
            found = "is not set" if value is None else f"is {value!r}"
            yield Problem(
                SettingPath((name,), PROVIDER_NAMESPACE),
                f'{found} and must be "true", so that {purpose}; remove it from the stack\'s file, and have '
                f'`{PROVIDER}{name}: "true"` under `config:` in Pulumi.yaml',
            )
    if (value := values.get(PROVIDER + _SERVER_SIDE_APPLY)) is not None and not _is_true(value):
        yield Problem(
            SettingPath((_SERVER_SIDE_APPLY,), PROVIDER_NAMESPACE),
            f"is {value!r}, and a Service with one port number in TCP and UDP needs server-side apply; "
            "remove it from the configuration",
        )


def is_kubeconfig_content(setting: str) -> bool:
    """Whether a kubeconfig is given by its content, and not by its path."""
    return "\n" in setting or setting.lstrip().startswith("{")


def kubeconfig_paths(providers: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The kubeconfigs that providers' settings name by a path, for the functions below to be given read."""
    named = (settings.get("kubeconfig") for settings in providers)
    return frozenset(path for path in named if isinstance(path, str) and not is_kubeconfig_content(path))


def replacing_settings(
    before: Mapping[str, Any], now: Mapping[str, Any], kubeconfigs: Mapping[str, str]
) -> tuple[str, ...]:
    """The changed settings for which the provider makes every object anew: another cluster, another folder.

    Both are settings without their namespace; `kubeconfigs` are the files that they name. Nothing is known of
    a cluster that the environment leads to.
    """
    changed = {key for key in before.keys() | now.keys() if before.get(key) != now.get(key)}
    if not changed:
        return ()
    if _IDENTIFIER in before and _IDENTIFIER in now:
        # With a name for the cluster, the name alone says whether it is another one.
        return (_IDENTIFIER,) if _IDENTIFIER in changed else ()
    folder = (_RENDERS,) if _RENDERS in changed else ()
    old, new = _active_cluster(before, kubeconfigs), _active_cluster(now, kubeconfigs)
    if old is None or new is None or old == new:
        return folder
    return (*folder, *(key for key in _LEADS_TO_CLUSTER if key in changed))


def cluster_key(settings: Mapping[str, Any], kubeconfigs: Mapping[str, str]) -> str:
    """Equal for settings of providers that lead to the same cluster or folder, as far as they say so.

    Settings are without their namespace, and `kubeconfigs` the files that they name. The key is a hash,
    because a kubeconfig holds credentials.
    """
    cluster = (
        settings.get(_IDENTIFIER)
        or _active_cluster(settings, kubeconfigs)
        or {key: settings.get(key) for key in _LEADS_TO_CLUSTER}
    )
    text = json.dumps([settings.get(_RENDERS), cluster], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _active_cluster(settings: Mapping[str, Any], kubeconfigs: Mapping[str, str]) -> Mapping[str, Any] | None:
    """The cluster that settings lead to, as far as they say so themselves."""
    content = _kubeconfig(settings.get("kubeconfig"), kubeconfigs)
    contexts, clusters = _by_name(content, "context"), _by_name(content, "cluster")
    context = contexts.get(str(settings.get("context") or content.get("current-context")))
    if context is None:
        return None
    return clusters.get(str(settings.get("cluster") or context.get("cluster")))


def _kubeconfig(given: object, kubeconfigs: Mapping[str, str]) -> Mapping[str, Any]:
    """A kubeconfig by its content or its path; one that cannot be read leads nowhere."""
    if not isinstance(given, str):
        return {}
    # A file that was not read at all is an error: it would hide that every object is replaced.
    text = given if is_kubeconfig_content(given) else kubeconfigs[given]
    try:
        content = yaml.safe_load(text)
    except (ValueError, RuntimeError, yaml.YAMLError):
        return {}
    return content if isinstance(content, dict) else {}


def _by_name(content: Mapping[str, Any], kind: str) -> dict[str, Mapping[str, Any]]:
    return {str(entry.get("name")): entry.get(kind) or {} for entry in content.get(f"{kind}s") or []}


def _is_true(value: str | None) -> bool:
    return value is not None and value.lower() in ("true", "1")
