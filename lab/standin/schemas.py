"""The schemas of one cluster's built-in kinds, each group read once."""

import threading

from dittoinfra.kubernetes import Cluster, ClusterError
from lab.standin.properties import Properties
from lab.standin.schema import GroupSchema


class Schemas:
    """Asks the API for its schemas when they are first needed; without them manifests stay as they are."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._groups: dict[str, GroupSchema] = {}
        self._lock = threading.Lock()

    def fitted(self, manifest: Properties) -> Properties:
        """The manifest in the shape of its schema."""
        return self._group(str(manifest.get("apiVersion", ""))).fitted(manifest)

    def _group(self, api_version: str) -> GroupSchema:
        with self._lock:
            if api_version not in self._groups:
                self._groups[api_version] = self._asked(api_version)
            return self._groups[api_version]

    def _asked(self, api_version: str) -> GroupSchema:
        path = f"apis/{api_version}" if "/" in api_version else f"api/{api_version}"
        try:
            response = self._cluster.request("GET", f"/openapi/v3/{path}")
        except ClusterError:
            return GroupSchema({})
        return GroupSchema(response.json() if response.is_success else {})
