"""The stand-in Kubernetes provider: for tests, demos and places the official plugin cannot reach.

It serves the engine's resource protocol and writes manifests into a folder or applies them to a cluster.
It waits for nothing to become ready and knows no kinds, no Helm charts and no generated names.
"""

from dittoinfra.standin.api import ApiStore
from dittoinfra.standin.folder import FolderStore
from dittoinfra.standin.provider import FailOn
from dittoinfra.standin.serve import StandInProvider
from dittoinfra.standin.store import Store

__all__ = ["ApiStore", "FailOn", "FolderStore", "StandInProvider", "Store"]
