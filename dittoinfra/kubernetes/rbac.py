"""What a run needs to be allowed in a namespace, and the Role that allows it."""

from collections.abc import Iterable
from dataclasses import dataclass

import yaml

from dittoinfra.model import Permission

ROLE = "dittoinfra"


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """One permission in a namespace."""

    verb: str
    resource: str
    """As RBAC spells it, such as `pods/portforward`."""
    name: str | None = None
    """The only object it is needed for; None where it is about all of them."""
    group: str = ""

    @classmethod
    def allowing(cls, lacking: Permission) -> "Rule":
        """The one that allows what is lacking, in its namespace."""
        return cls(lacking.verb, lacking.resource, group=lacking.group)

    def __str__(self) -> str:
        return f"{self.verb} {self.resource}"


def role_yaml(namespace: str | None, rules: Iterable[Rule], name: str = ROLE) -> str:
    """A Role that allows exactly these, ready for `kubectl apply`; without a namespace a ClusterRole."""
    verbs: dict[tuple[str, str, str], set[str]] = {}
    for rule in rules:
        verbs.setdefault((rule.group, rule.resource, rule.name or ""), set()).add(rule.verb)
    names: dict[tuple[str, str, tuple[str, ...], bool], list[str]] = {}
    for (group, resource, only), allowed in sorted(verbs.items()):
        names.setdefault((group, resource, tuple(sorted(allowed)), bool(only)), []).append(only)
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role" if namespace else "ClusterRole",
        "metadata": {"name": name} | ({"namespace": namespace} if namespace else {}),
        "rules": [
            {"apiGroups": [group], "resources": [resource]}
            | ({"resourceNames": found} if named else {})
            | {"verbs": list(allowed)}
            for (group, resource, allowed, named), found in names.items()
        ],
    }
    return yaml.safe_dump(role, sort_keys=False)
