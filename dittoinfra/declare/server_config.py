"""What a deployed server starts from: its ConfigMap, its Secrets and its database."""

import base64
from collections.abc import Iterator, Mapping

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap, Secret
from pydantic import SecretStr

from dittoinfra import naming
from dittoinfra.decide.kinds import KindDecision
from dittoinfra.decide.server_config import (
    ADMIN,
    CONFIG_KEY,
    JWT_KEY,
    PASSWORD_KEY,
    USERNAME_KEY,
    config_yaml,
)
from dittoinfra.declare.metadata import metadata
from dittoinfra.declare.percona import declare_percona
from dittoinfra.settings import Deploy, ServerSecrets, ServerSettings


def declare_server_config(
    server: ServerSettings,
    deploy: Deploy,
    secrets: ServerSecrets | None,
    kinds: KindDecision,
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """Declare it all; the server's Pod makes no sense before it is there."""
    name = naming.config_map(server.name)
    config = ConfigMap(
        name,
        metadata=metadata(name, server.namespace, naming.server_labels(server.name, server.labels)),
        data={CONFIG_KEY: config_yaml(server, deploy)},
        opts=opts,
    )
    database = declare_percona(server, deploy, kinds, opts)
    return [
        config,
        *_declare_secrets(server, secrets or ServerSecrets(), opts),
        *([database] if database else []),
    ]


def _declare_secrets(
    server: ServerSettings, secrets: ServerSecrets, opts: pulumi.ResourceOptions
) -> Iterator[Secret]:
    if secrets.jwt is not None:
        yield _declare_secret(server, naming.jwt_secret(server.name), {JWT_KEY: secrets.jwt}, opts)
    if secrets.admin_password is not None:
        login = {USERNAME_KEY: SecretStr(ADMIN), PASSWORD_KEY: secrets.admin_password}
        yield _declare_secret(server, naming.admin_secret(server.name), login, opts)


def _declare_secret(
    server: ServerSettings, name: str, values: Mapping[str, SecretStr], opts: pulumi.ResourceOptions
) -> Secret:
    return Secret(
        name,
        metadata=metadata(name, server.namespace, naming.server_labels(server.name, server.labels)),
        type="Opaque",
        # Marked here, the engine encrypts it in the state and shows it in no diff, whatever a provider does.
        data={key: pulumi.Output.secret(_encoded(value)) for key, value in values.items()},
        opts=opts,
    )


def _encoded(value: SecretStr) -> str:
    return base64.b64encode(value.get_secret_value().encode()).decode()
