"""What is declared around a server, as it landed in the folder, and a server with all of it."""

from typing import Any

import yaml

from tests.engine.deploy.workload import media
from tests.engine.world import World

PINNED = {"pinned": [{"type": "nfs", "port": 12049}, {"type": "smb", "port": 12445}]}
SELECTOR = {"app": "dittofs-server", "instance": "media"}
LABELS = {
    **SELECTOR,
    "app.kubernetes.io/name": "dittofs",
    "app.kubernetes.io/instance": "media",
    "app.kubernetes.io/part-of": "dittofs",
    "app.kubernetes.io/managed-by": "pulumi",
    "team": "storage",
}


def server(
    namespace: str = "files", deploy: dict[str, Any] | None = None, **settings: object
) -> dict[str, Any]:
    """The server `media` with two adapters that no server has to be asked for."""
    given = {"adapters": PINNED, "labels": {"team": "storage"}, **settings}
    return media(namespace, deploy=deploy or {}, **given)


def landed(world: World, kind: str) -> dict[str, dict[str, Any]]:
    """Every object of a kind, by name."""
    documents = (yaml.safe_load(path.read_text()) for path in world.manifests.rglob(f"{kind.lower()}-*.yaml"))
    return {document["metadata"]["name"]: document for document in documents if document["kind"] == kind}
