"""What can go wrong between us and a Kubernetes API.

ClusterError
├── UnansweredError        no answer, or none that helps; asking again may
├── UnknownUserError       the API does not know the credentials
├── ForbiddenError         the credentials may not do what they would have to
├── NotThereError          there is no such object
├── NotReadyError          there is, but it is not ready yet; asking again may help
├── SecretUnusableError    no such Secret, no such key in it, or nothing under it
├── RefusedByClusterError  the cluster understood, and said no (in objects)
└── ChangedMeanwhileError  the object is not any more what a patch was made from (in objects)
"""

from dittoinfra.cluster.rules import Rule


class ClusterError(Exception):
    """One line that names the cause and the next step."""


class UnansweredError(ClusterError):
    """The API gave no answer that could be used."""


class UnknownUserError(ClusterError):
    """The API does not know who we are."""


class ForbiddenError(ClusterError):
    """The API knows who we are, and may not let us do it."""

    def __init__(self, rule: Rule, namespace: str, who: str) -> None:
        self.rule = rule
        self.namespace = namespace
        self.who = who
        super().__init__(f"{who} may not {rule} in namespace {namespace}")


class NotThereError(ClusterError):
    """The object does not exist."""


class NotReadyError(ClusterError):
    """The object exists, and cannot be used yet."""


class SecretUnusableError(ClusterError):
    """A Secret does not hold what was looked for in it."""
