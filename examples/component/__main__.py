"""A server that exists and one that is deployed, in a program with resources of its own."""

import pulumi
import pulumi_kubernetes as kubernetes

from dittoinfra import DeployedServer, ExistingServer, ask_servers

config = pulumi.Config()
password = config.require_secret("password")
place = kubernetes.core.v1.Namespace("files", metadata={"name": "files"})
namespace = place.metadata.apply(lambda metadata: str(metadata.name))

# A server that exists: Services for the adapters that it serves.
media = ExistingServer(
    "media",
    {
        "namespace": namespace,
        "api": {"url": config.require("mediaUrl"), "username": "dittoinfra"},
        "password": password,
        "adapters": {"service": {"source_ranges": ["10.0.0.0/8"]}},
    },
)

# A server that is deployed, with everything that it needs.
scans = DeployedServer(
    "scans",
    {
        "namespace": namespace,
        "deploy": {"storage": {"content": {"size": "20Gi"}}},
        "secrets": {"jwt": config.require_secret("jwt"), "admin_password": password},
    },
)

pulumi.export("media", media.adapters)
pulumi.export("scans", scans.conditions)

# Asked, and nothing else: no Service comes or goes with this.
answers = ask_servers({"media": {"api": {"url": config.require("mediaUrl")}, "password": password}})
pulumi.export("answered", answers.apply(lambda found: found["media"]["answered"]))
