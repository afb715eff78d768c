"""What can go wrong between us and a Kubernetes API."""


class ClusterError(Exception):
    """No usable connection to a cluster: one line that names the cause and the next step."""
