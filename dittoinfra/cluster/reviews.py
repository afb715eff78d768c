"""Whether the cluster would let us, asked without doing anything."""

import json

from dittoinfra.cluster.answers import message_of, object_of
from dittoinfra.cluster.connection import Cluster
from dittoinfra.cluster.errors import ClusterError
from dittoinfra.cluster.rules import Rule

_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


def allows(cluster: Cluster, namespace: str, rule: Rule) -> bool:
    """Whether whoever the kubeconfig makes us may do this, or `ClusterError`."""
    resource, _, part = rule.resource.partition("/")
    attributes = {
        "namespace": namespace,
        "verb": rule.verb,
        "group": rule.group,
        "resource": resource,
        "subresource": part,
        "name": rule.name or "",
    }
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    response = cluster.request(
        "POST", _REVIEWS, headers={"Content-Type": "application/json"}, content=json.dumps(review).encode()
    )
    if response.is_error:
        raise ClusterError(
            f"the Kubernetes API at {cluster.server} answered {response.status_code} when asked what is "
            f"allowed: {message_of(response)}; check the credentials"
        )
    return bool((object_of(response).get("status") or {}).get("allowed"))
