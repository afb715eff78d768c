"""What a Kubernetes API says when it refuses, in one line."""

from typing import Any

import httpx

from dittoinfra.cluster.errors import ClusterError
from dittoinfra.visible import visible


def status_of(response: httpx.Response) -> dict[str, Any]:
    """The Status object of a refusal; empty where something else answered, a proxy say."""
    try:
        status: Any = response.json()
    except ValueError:
        return {}
    return status if isinstance(status, dict) else {}


def object_of(response: httpx.Response) -> dict[str, Any]:
    """The object in an answer; `ClusterError` where something else answered, a proxy's login page say."""
    try:
        content: Any = response.json()
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise ClusterError(
            f"{response.url} answered something that no Kubernetes API would; "
            "check that the kubeconfig leads to one"
        )
    return content


def message_of(response: httpx.Response) -> str:
    """The API's own words, or those of a webhook behind it, on one line that a terminal can be given."""
    words = str(status_of(response).get("message") or response.reason_phrase)
    return " ".join(visible(words).split())


def refused_fields(response: httpx.Response) -> str:
    """Which fields a Secret was refused for: the API's own words may quote its values."""
    causes = (status_of(response).get("details") or {}).get("causes") or []
    return ", ".join(str(cause.get("field")) for cause in causes) or "its message may quote the Secret"
