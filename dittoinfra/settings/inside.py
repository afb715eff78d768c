"""Settings for what only the cluster has: an API that nobody reaches from outside, a password in a Secret."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from dittoinfra.settings.base import HostName, Namespace, Port, Settings
from dittoinfra.settings.deploy.credentials import DataKey

PLACEHOLDERS = ("server", "namespace")


def filled(template: str, server: str, namespace: str) -> str:
    """A template with a server's name and namespace in it."""
    return template.replace("{server}", server).replace("{namespace}", namespace)


def sample(template: str) -> str:
    """A template filled for nobody in particular, or ValueError where it holds another placeholder."""
    if set(re.findall(r"\{([^{}]*)\}", template)) - set(PLACEHOLDERS):
        raise ValueError("knows the placeholders {server} and {namespace} only")
    return filled(template, *PLACEHOLDERS)


def _object_template(value: str) -> str:
    text = sample(value)
    if re.fullmatch(r"[a-z0-9]([-.a-z0-9]*[a-z0-9])?", text) is None:
        raise ValueError("must be lower-case letters, digits, '-' or '.' between them, and placeholders")
    return value


# Names that are filled in may be long, and together they must stay below 253.
ObjectTemplate = Annotated[str, Field(max_length=120), AfterValidator(_object_template)]


def _target(value: str) -> str:
    kind, _, name = value.partition("/")
    if kind not in ("pod", "service"):
        raise ValueError("must be pod/NAME or service/NAME")
    _object_template(name)
    return value


Target = Annotated[str, Field(max_length=128), AfterValidator(_target)]


class PortForward(Settings):
    """The way to an API inside the cluster, through the Kubernetes API and with the provider's kubeconfig."""

    port: Port | None = None
    """Port that the API listens on in its Pod; unset is `deploy.api.port`, or 8080."""
    scheme: Literal["http", "https"] | None = None
    """What the API speaks; unset is https where `deploy.api.tls` is set, and http elsewhere."""
    target: Target = "pod/{server}-0"
    """Whom to ask in the server's namespace: pod/NAME, or service/NAME for any ready Pod behind a Service;
    `{server}` and `{namespace}` are filled in."""
    tls_name: HostName | None = None
    """Name that the certificate must carry; unset is `{server}-api.{namespace}.svc`."""


class PasswordSecret(Settings):
    """A login in a Kubernetes Secret of the provider's cluster, read whenever it is needed."""

    name: ObjectTemplate
    """Name of the Secret; `{server}` and `{namespace}` are filled in."""
    key: DataKey = "password"
    """Key of the password."""
    username_key: DataKey | None = None
    """Key of the user's name; unset is `api.username`."""
    namespace: Namespace | None = None
    """Namespace of the Secret; unset is the server's."""
