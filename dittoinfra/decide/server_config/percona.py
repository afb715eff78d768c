"""The PostgreSQL cluster that is asked of Percona's operator, in the words of `pgv2.percona.com/v2`."""

from typing import Any

from dittoinfra import naming
from dittoinfra.settings.deploy.database import Percona
from dittoinfra.settings.layers import merge


def percona_spec(settings: Percona) -> dict[str, Any]:
    """The spec of a PerconaPGCluster.

    Its `crVersion` is left to the operator, which fills in its own: one that it does not know stops it.
    """
    claim: dict[str, Any] = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": settings.storage}},
    }
    if settings.storage_class is not None:
        claim["storageClassName"] = settings.storage_class
    image = {"image": settings.image} if settings.image is not None else {}
    return merge(
        {
            **image,
            "postgresVersion": settings.postgres_version,
            "instances": [{"name": "instance1", "replicas": settings.replicas, "dataVolumeClaimSpec": claim}],
            "users": [{"name": naming.POSTGRES_USER, "databases": [settings.database]}],
            # From PostgreSQL 15 on, a plain user may create tables in a schema of its own only.
            "autoCreateUserSchema": True,
            # Without a repository to write to, backups that are not turned off are refused.
            "backups": {"enabled": False},
        },
        settings.spec,
    )
