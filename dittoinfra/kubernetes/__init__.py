"""A Kubernetes cluster, reached the way the Kubernetes provider would reach it."""

from dittoinfra.kubernetes.cluster_client import ApiResource, Cluster, connect
from dittoinfra.kubernetes.cluster_errors import ClusterError

__all__ = ["ApiResource", "Cluster", "ClusterError", "connect"]
