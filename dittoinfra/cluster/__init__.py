"""A Kubernetes cluster, reached the way the Kubernetes provider would reach it."""

from dittoinfra.cluster.connection import ApiResource, Cluster, connect
from dittoinfra.cluster.errors import ClusterError

__all__ = ["ApiResource", "Cluster", "ClusterError", "connect"]
