"""What a deployed server starts from: its ConfigMap and its Secrets."""

import base64
from collections.abc import Callable, Iterator, Mapping

import pulumi
from pulumi.runtime.rpc import UNKNOWN
from pulumi_kubernetes.core.v1 import ConfigMap, Secret
from pydantic import SecretStr

from dittoinfra import naming
from dittoinfra.components.resource_inputs import deleted_promptly, metadata, state_name
from dittoinfra.decide.config_file import ADMIN
from dittoinfra.decide.pod import CONFIG_KEY, JWT_KEY, PASSWORD_KEY, USERNAME_KEY
from dittoinfra.settings import ServerSecrets, ServerSettings

_Encode = Callable[[SecretStr], str]


def declare_config_and_secrets(
    server: ServerSettings,
    config_text: str,
    secrets: ServerSecrets | None,
    opts: pulumi.ResourceOptions,
    *,
    secrets_known: bool = True,
) -> list[pulumi.Resource]:
    """Declare all of these; the server's Pod needs them to exist first.

    Of secrets that are not known yet, a preview shows that there will be some.
    """
    name = naming.config_map(server.name)
    config = ConfigMap(
        state_name(name, opts),
        metadata=metadata(name, server.namespace, naming.server_labels(server.name, server.labels)),
        data={CONFIG_KEY: config_text},
        opts=deleted_promptly(opts),
    )
    encode = _encoded if secrets_known else _unknown
    return [config, *_declare_secrets(server, secrets or ServerSecrets(), encode, opts)]


def _declare_secrets(
    server: ServerSettings, secrets: ServerSecrets, encode: _Encode, opts: pulumi.ResourceOptions
) -> Iterator[Secret]:
    if secrets.jwt is not None:
        key = {JWT_KEY: encode(secrets.jwt)}
        yield _declare_secret(server, naming.jwt_secret(server.name), key, opts)
    if secrets.admin_password is not None:
        login = {USERNAME_KEY: _encoded(SecretStr(ADMIN)), PASSWORD_KEY: encode(secrets.admin_password)}
        yield _declare_secret(server, naming.admin_secret(server.name), login, opts)


def _declare_secret(
    server: ServerSettings, name: str, values: Mapping[str, str], opts: pulumi.ResourceOptions
) -> Secret:
    return Secret(
        state_name(name, opts),
        metadata=metadata(name, server.namespace, naming.server_labels(server.name, server.labels)),
        type="Opaque",
        # Marked here, the engine encrypts it in the state and shows it in no diff, whatever a provider does.
        data={key: pulumi.Output.secret(value) for key, value in values.items()},
        opts=deleted_promptly(opts),
    )


def _encoded(value: SecretStr) -> str:
    return base64.b64encode(value.get_secret_value().encode()).decode()


def _unknown(_: SecretStr) -> str:
    return UNKNOWN
