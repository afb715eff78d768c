"""Which objects are replaced when the provider's configuration changes."""

from pulumi.runtime.rpc import UNKNOWN

from dittoinfra.kubernetes.credentials import read_kubeconfigs
from dittoinfra.settings.provider import replacing_settings
from lab.standin.properties import Properties

_LEADS_TO_CLUSTER = ("kubeconfig", "context", "cluster")


def configuration_diff(old: Properties, new: Properties) -> tuple[list[str], list[str]]:
    """The changed settings, and those that replace everything: another cluster or folder."""
    changed = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
    unsure = [key for key in _LEADS_TO_CLUSTER if new.get(key) == UNKNOWN]
    if changed and unsure:
        return unsure[:1], unsure[:1]
    return changed, list(replacing_settings(old, new, read_kubeconfigs((old, new))))
