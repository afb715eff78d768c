"""Settings of a server: how its API is reached, when an adapter counts as gone, and its deployment."""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, HttpUrl, TypeAdapter, ValidationError, model_validator

from dittoinfra import naming
from dittoinfra.settings.adapter_settings import AdapterSettings
from dittoinfra.settings.base import (
    NULL_SWITCHES_OFF,
    PLACEHOLDER,
    DataKey,
    Duration,
    HostName,
    LabelKey,
    LabelValue,
    Namespace,
    Port,
    ServerName,
    Settings,
    filled,
)
from dittoinfra.settings.deploy import Deploy
from dittoinfra.settings.selectors import NetworkPolicySettings

DEFAULT_PORT = 8080
"""What a DittoFS server listens on by default."""

_HTTP_URL: TypeAdapter[HttpUrl] = TypeAdapter(HttpUrl)
_PLACEHOLDERS = {"server": "server", "namespace": "namespace"}


def _sample(template: str) -> str:
    """A template filled with examples, or ValueError where it has another placeholder."""
    if set(PLACEHOLDER.findall(template)) - _PLACEHOLDERS.keys():
        raise ValueError("knows the placeholders {server} and {namespace} only")
    return filled(template, _PLACEHOLDERS)


def _object_template(value: str) -> str:
    text = _sample(value)
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
    """What to forward to in the server's namespace: pod/NAME, or service/NAME for any ready Pod behind a
    Service; `{server}` and `{namespace}` are filled in."""
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


def _http_url_template(value: str) -> str:
    text = _sample(value)
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
        raise ValueError("must not carry credentials; use api.username, and store the password as a secret")
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
    """Time for a whole poll, retries and login included. A refused connection is tried again for a quarter
    of it: long enough for a restart's first seconds."""
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
    """Maximum polls per server and run; further polls are made only while an adapter is absent."""
    poll_interval: Duration = timedelta(seconds=10)
    """Time between the polls of one run."""
    removal: Literal["sync", "never"] = "sync"
    """`never` keeps every Service that was ever declared. Those of a server that leaves the configuration go
    with it; where the stack itself says `never`, they need `approveRemovals` to go."""
    not_running: Literal["keep", "remove"] = "keep"
    """What becomes of an adapter that is enabled but not running, because its port is taken, say. `keep`: its
    Service stays for as long as the server lists it as enabled. `remove`: it counts as absent."""
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

    def filled(self, template: str) -> str:
        """A template with the server's name and namespace in it."""
        return filled(template, {"server": self.name, "namespace": self.namespace})


@dataclass(frozen=True, slots=True)
class ByUrl:
    """The API has an address that can be reached from here."""

    url: str

    def __str__(self) -> str:
        return self.url


@dataclass(frozen=True, slots=True)
class ByPortForward:
    """The API is reached through the Kubernetes API."""

    target: Literal["pod", "service"]
    """The Pod of that name, or any ready Pod behind the Service of that name."""
    namespace: str
    name: str
    port: int
    url: str
    """The address that the API has inside the cluster: its host is what a certificate must name."""
    explicit: bool
    """Whether it is configured; else it follows from where the server is."""

    def __str__(self) -> str:
        return f"{self.target} {self.namespace}/{self.name}, port {self.port}"


Endpoint = ByUrl | ByPortForward


def api_endpoint(server: ServerSettings, *, in_cluster: bool = False) -> Endpoint | None:
    """How a server's API is reached; None where it is not asked.

    A server that this stack deploys, or that was found in the cluster (`in_cluster`), is reached through the
    cluster unless something else is configured.
    """
    api, deployed = server.api, server.deploy.api if server.deploy is not None else None
    if api.url is not None:
        return ByUrl(server.filled(api.url))
    forward = api.port_forward
    if forward is None:
        refused = "port_forward" in api.model_fields_set
        if refused or not (deployed or in_cluster):
            return None
        forward = PortForward()
    port = forward.port or (deployed.port if deployed else DEFAULT_PORT)
    scheme = forward.scheme or ("https" if deployed and deployed.tls else "http")
    host = forward.tls_name or naming.api_host_name(server.name, server.namespace)
    kind, _, name = server.filled(forward.target).partition("/")
    return ByPortForward(
        target="service" if kind == "service" else "pod",
        namespace=server.namespace,
        name=name,
        port=port,
        url=f"{scheme}://{host}:{port}",
        explicit=api.port_forward is not None,
    )
