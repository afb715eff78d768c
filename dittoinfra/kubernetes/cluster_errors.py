"""Errors of access to a Kubernetes API.

ClusterError               all that follow, and a kubeconfig that leads nowhere
├── NoClusterError         no kubeconfig and no service account: there is no cluster to talk to
├── UnansweredError        no answer, or none that helps; asking again may
├── UnknownUserError       the API does not know the credentials
├── ForbiddenError         the credentials may not do what they would have to
├── NotThereError          there is no such object
├── NotReadyError          there is, but it is not ready yet; asking again may help
├── SecretUnusableError    no such Secret, no such key in it, or nothing under it
├── RefusedByClusterError  the cluster understood, and said no
└── ChangedMeanwhileError  the object is not any more what a patch was made from
"""

import re
from collections.abc import Mapping
from typing import Any

import httpx

from dittoinfra.kubernetes.rbac import Rule
from dittoinfra.trouble import TroubleError
from dittoinfra.visible import one_line


class ClusterError(TroubleError):
    """The cluster cannot be used, or does not do what it was asked for."""


class NoClusterError(ClusterError):
    """Nothing says where a cluster is; the provider looks in the same places, and finds none either."""


class UnansweredError(ClusterError):
    """The API gave no answer that could be used."""


class UnknownUserError(ClusterError):
    """The API does not know who we are."""


class ForbiddenError(ClusterError):
    """The API knows the credentials, and does not allow the request."""

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


class RefusedByClusterError(ClusterError):
    """The cluster understood the request, and refused it."""


class ChangedMeanwhileError(ClusterError):
    """The object is not any more what a patch was made from."""


Errors = Mapping[int, type[ClusterError]]
"""What a status means, where that depends on what was asked."""

_CANNOT = re.compile(r'User "(?P<who>[^"]*)" cannot (?P<verb>\w+) resource "(?P<resource>[^"]*)"')


def status_of(response: httpx.Response) -> dict[str, Any]:
    """The Status object of a refusal; empty where something else answered, a proxy say."""
    try:
        status: Any = response.json()
    except ValueError:
        return {}
    return status if isinstance(status, dict) else {}


def object_of(response: httpx.Response) -> dict[str, Any]:
    """The object in an answer; `UnansweredError` where something else answered, a proxy's login page say."""
    try:
        content: Any = response.json()
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise UnansweredError(
            f"the answer of {response.url} is not a Kubernetes API response",
            "check that the kubeconfig leads to one",
        )
    return content


def unanswered(server: str, request: str, error: Exception) -> UnansweredError:
    """The error where `request`, a method and a path, got no answer at all."""
    cause = " ".join(str(error).split()) or type(error).__name__
    return UnansweredError(
        f"no answer from the Kubernetes API at {server} to {request}: {cause}",
        "check that the cluster of this kubeconfig can be reached",
    )


def refusal(
    server: str,
    response: httpx.Response,
    asked: str,
    next_step: str = "",
    *,
    errors: Errors | None = None,
    said: str | None = None,
) -> ClusterError:
    """The error that a refusal is; `asked` follows its status, and `said` stands for the API's own words."""
    if response.status_code == httpx.codes.UNAUTHORIZED:
        cause = f"the Kubernetes API at {server} does not know the credentials of the kubeconfig"
        return UnknownUserError(cause, "renew them")
    words = _message(response) if said is None else said
    cause = f"the Kubernetes API at {server} answered {response.status_code} {asked}: {words}"
    if response.status_code == httpx.codes.NOT_FOUND:
        return NotThereError(cause)
    return (errors or {}).get(response.status_code, UnansweredError)(cause, next_step)


def denial(server: str, response: httpx.Response, path: str, needed: Rule, namespace: str) -> ClusterError:
    """The error that a refused GET is; `needed` is what would allow it."""
    if response.status_code != httpx.codes.FORBIDDEN:
        return refusal(server, response, f"to GET {path}", "run again later")
    # The API's own words name what it missed: behind one request there may be more than one question.
    said = _CANNOT.search(_message(response))
    if said is None:
        return ForbiddenError(needed, namespace, "the user of the kubeconfig")
    rule = Rule(said["verb"], said["resource"], needed.name, needed.group)
    return ForbiddenError(rule, namespace, f"user {said['who']}")


def _message(response: httpx.Response) -> str:
    """The API's own words, or those of a webhook behind it, on one line that a terminal can be given."""
    return one_line(str(status_of(response).get("message") or response.reason_phrase))


def refused_fields(response: httpx.Response) -> str:
    """Which fields a Secret was refused for: the API's own words may quote its values."""
    causes = (status_of(response).get("details") or {}).get("causes") or []
    return ", ".join(str(cause.get("field")) for cause in causes) or "its message may quote the Secret"
