"""The PostgreSQL cluster that Percona's operator runs for a server."""

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from dittoinfra import naming
from dittoinfra.decide.kinds import KindDecision, percona_cluster
from dittoinfra.decide.server_config import percona_spec
from dittoinfra.declare.custom import declare_custom
from dittoinfra.declare.metadata import SKIP_AWAIT
from dittoinfra.settings import Deploy, ServerSettings


def declare_percona(
    server: ServerSettings, deploy: Deploy, decision: KindDecision, opts: pulumi.ResourceOptions
) -> CustomResource | None:
    """The PerconaPGCluster `{name}-postgres`, where the settings ask for one.

    The server waits for it by itself, so that `up` need not.
    """
    settings = deploy.database.percona
    if settings is None:
        return None
    keep = pulumi.ResourceOptions(retain_on_delete=not settings.delete_with_server)
    return declare_custom(
        server,
        percona_cluster(server.name),
        decision,
        naming.component_labels(server.name, "database", server.labels),
        percona_spec(settings),
        pulumi.ResourceOptions.merge(opts, keep),
        {SKIP_AWAIT: "true"},
    )
