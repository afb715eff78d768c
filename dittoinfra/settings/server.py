"""Settings of a server: how its API is reached, when an adapter counts as gone, and its deployment."""

import re
from datetime import timedelta
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, HttpUrl, TypeAdapter, ValidationError, model_validator

from dittoinfra.settings.adapters import AdapterSettings
from dittoinfra.settings.base import (
    NULL_SWITCHES_OFF,
    Duration,
    LabelKey,
    LabelValue,
    Namespace,
    ServerName,
    Settings,
)
from dittoinfra.settings.deploy import Deploy
from dittoinfra.settings.inside import PasswordSecret, PortForward, sample
from dittoinfra.settings.network import NetworkPolicySettings

_HTTP_URL: TypeAdapter[HttpUrl] = TypeAdapter(HttpUrl)


def _http_url_template(value: str) -> str:
    text = sample(value)
    if text == value:
        return _http_url(value)
    # Names that are filled in are DNS labels: where one fits, all of them do.
    try:
        _http_url(text)
    except ValidationError:
        raise ValueError("must be an address with whatever is filled in") from None
    return value.rstrip("/")


def _http_url(value: str) -> str:
    # The text stays as written; HttpUrl would add a slash and turn names into punycode.
    if "?" in value or "#" in value:
        raise ValueError("must end with the path")
    # Readers of URLs disagree on backslashes and control characters: what one checks, another connects to.
    if re.fullmatch(r"(?i:https?)://[^\s/\\\x00-\x1f][^\s\\\x00-\x1f]*", value) is None:
        raise ValueError("must be an address such as https://dittofs.example.com:8080")
    url = _HTTP_URL.validate_python(value)
    if url.username or url.password:
        raise ValueError("must not carry credentials; use api.username and dittoinfra:passwords")
    return value.rstrip("/")


Url = Annotated[str, AfterValidator(_http_url)]
UrlTemplate = Annotated[str, AfterValidator(_http_url_template)]


class ApiSettings(Settings):
    """How a server's REST API is reached. Proxy variables of the environment are ignored on purpose."""

    url: UrlTemplate | None = None
    """Address, such as https://dittofs.example.com:8080; `{server}` and `{namespace}` are filled in. Of an
    address and a port-forward, the one that is written nearer to the server is used."""
    port_forward: PortForward | None = Field(default=None, json_schema_extra=NULL_SWITCHES_OFF)
    """Reach the API through the cluster, for want of an address. Unset: a server that this stack deploys, or
    finds in the cluster, is reached that way as soon as it has a password, and any other is not asked.
    `null`: no server is."""
    username: str = "dittoinfra"
    """Who asks. The role `user` is enough for the adapters' ports."""
    password_env: str | None = None
    """Environment variable that holds the password. Of it and `passwordSecret`, the one that is written
    nearer to the server is used; with neither, the password is in `dittoinfra:passwords`."""
    password_secret: PasswordSecret | None = None
    """Kubernetes Secret that holds the password."""
    ca_bundle: str | None = None
    """PEM file, or PEM text, trusted in addition to the system's authorities."""
    client_certificate: str | None = None
    """PEM file with the certificate that we show to the server (mTLS)."""
    client_key: str | None = None
    """PEM file with its key; unset expects the key in the certificate's file."""
    proxy: Url | None = None
    """Proxy for this API; unset connects directly. A port-forward goes the kubeconfig's way instead."""
    deadline: Duration = timedelta(seconds=20)
    """Time for a whole poll, retries and login included: long enough for a restart's first seconds."""
    request_timeout: Duration = timedelta(seconds=5)
    """Time for one request; a login takes the server up to a quarter of a second."""

    @model_validator(mode="after")
    def _one_of_each(self) -> "ApiSettings":
        if self.url is not None and self.port_forward is not None:
            raise ValueError("url and portForward are two ways to the same API; drop one")
        if self.password_env is not None and self.password_secret is not None:
            raise ValueError("passwordEnv and passwordSecret both say where the password is; drop one")
        return self


class Layer(Settings):
    """What can be said for the whole stack or for one server; the nearer one wins."""

    namespace: Namespace = "default"
    """Kubernetes namespace of the server."""
    absence_polls: Annotated[int, Field(ge=1, le=100)] = 3
    """Answered polls in a row that must miss an adapter before its Service goes. 1 removes at once."""
    polls_per_run: Annotated[int, Field(ge=1, le=100)] = 1
    """Polls a run may make of a server; the further ones only while an adapter is absent."""
    poll_interval: Duration = timedelta(seconds=10)
    """Time between the polls of one run."""
    removal: Literal["sync", "never"] = "sync"
    """`never` keeps every Service that was ever declared."""
    on_unreachable: Literal["keep", "fail"] = "keep"
    """What to do without a usable answer: go on with what is remembered, or stop the run."""
    api: ApiSettings = Field(default_factory=ApiSettings)
    """How the API is reached."""
    adapters: AdapterSettings = Field(default_factory=AdapterSettings)
    """Adapter Services."""
    network_policy: NetworkPolicySettings = Field(default_factory=NetworkPolicySettings)
    """Network policies."""


class ServerSettings(Layer):
    """One DittoFS server."""

    name: ServerName
    """Name of the server; the names of its objects are built from it."""
    labels: dict[LabelKey, LabelValue] = Field(default_factory=dict)
    """Labels on everything declared for this server."""
    deploy: Deploy | None = None
    """Declare the server itself. Unset: it exists already, and only its adapters' Services are declared."""
    patch_ports: bool = False
    """Add adapter ports to the StatefulSet of a server that exists already, as a server-side patch."""
    adopt: bool = False
    """Take over objects of the same names that an operator, Helm or a person made. See docs/migration.md"""

    @model_validator(mode="after")
    def _one_owner_of_the_ports(self) -> "ServerSettings":
        if self.deploy is not None and self.patch_ports:
            raise ValueError("patchPorts is for servers that exist already; drop it, or drop deploy")
        return self
