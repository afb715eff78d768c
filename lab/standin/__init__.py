"""A stand-in for the Kubernetes provider, for tests, demos and machines without the official plugin.

It serves the engine's resource protocol and keeps objects in a cluster, or writes manifests into a folder.
What it does in a cluster is what the official provider does, down to who owns which field:
`tests/contract/provider` holds it to a record. It waits for Services and StatefulSets only, and knows no Helm
charts and no generated names.
"""

from lab.standin.api import ApiStore
from lab.standin.folder import FolderStore
from lab.standin.provider import FailOn
from lab.standin.serve import StandInProvider
from lab.standin.store import Store

__all__ = ["ApiStore", "FailOn", "FolderStore", "StandInProvider", "Store"]
