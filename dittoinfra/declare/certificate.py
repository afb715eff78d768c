"""The certificate of a server's API, issued by cert-manager."""

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource

from dittoinfra import naming
from dittoinfra.decide.kinds import KindDecision, certificate
from dittoinfra.declare.custom import declare_custom
from dittoinfra.settings import Deploy, ServerSettings


def declare_certificate(
    server: ServerSettings, deploy: Deploy, decision: KindDecision, opts: pulumi.ResourceOptions
) -> CustomResource | None:
    """The Certificate `{name}-api`, where the settings ask for one."""
    tls = deploy.api.tls
    if tls is None or tls.certificate is None:
        return None
    issuer = tls.certificate.issuer
    names = naming.api_host_names(server.name, server.namespace) + tls.certificate.dns_names
    return declare_custom(
        server,
        certificate(server.name),
        decision,
        naming.component_labels(server.name, "api", server.labels),
        {
            "secretName": tls.secret,
            "dnsNames": list(dict.fromkeys(names)),
            "usages": ["digital signature", "key encipherment", "server auth"],
            "issuerRef": {"name": issuer.name, "kind": issuer.kind, "group": issuer.group},
        },
        opts,
    )
