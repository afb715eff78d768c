"""A server that this stack deploys: its Pod, volumes, database and secrets."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, SecretStr, model_validator

from dittoinfra.settings.base import (
    DataKey,
    Duration,
    LabelKey,
    LabelValue,
    ObjectName,
    Quantity,
    SecretKey,
    Settings,
)
from dittoinfra.settings.deploy_api import ApiEndpoint, Metrics
from dittoinfra.settings.dittofs_config import ServerConfig

TESTED_VERSION = "v0.31.1"
"""Tag of the newest DittoFS that deployed servers are tested with."""

JWT_MIN_LENGTH = 32
PASSWORD_LENGTHS = range(8, 73)
"""What the server takes: its passwords are hashed with bcrypt, which reads 72 bytes and no more."""


def _signing_key(value: SecretStr) -> SecretStr:
    if len(value.get_secret_value().encode()) < JWT_MIN_LENGTH:
        raise ValueError(
            f"must be at least {JWT_MIN_LENGTH} characters long, or the server refuses to start; "
            "`openssl rand -base64 48` makes a good one"
        )
    return value


def _password(value: SecretStr) -> SecretStr:
    if len(value.get_secret_value().encode()) not in PASSWORD_LENGTHS:
        raise ValueError(
            f"must be {PASSWORD_LENGTHS[0]} to {PASSWORD_LENGTHS[-1]} bytes long, "
            "or the server refuses to start"
        )
    return value


class Credentials(Settings):
    """Where the secrets come from; what is unset is taken from `dittoinfra:serverSecrets`."""

    jwt: SecretKey | None = None
    """The key that signs tokens, at least 32 characters."""
    admin_password: SecretKey | None = None
    """Password of the administrator `admin`, which the server creates at its very first start."""


class ServerSecrets(Settings):
    """One server's secrets; the stack makes Kubernetes Secrets of them."""

    jwt: Annotated[SecretStr, AfterValidator(_signing_key)] | None = None
    """The key that signs tokens, at least 32 characters. Another one restarts the server."""
    admin_password: Annotated[SecretStr, AfterValidator(_password)] | None = None
    """Password of the administrator `admin`. The server reads it at its very first start only."""


class Claim(Settings):
    """One volume claim."""

    size: Quantity = "10Gi"
    """How much is asked for."""
    storage_class: ObjectName | None = None
    """Storage class; unset takes the cluster's default."""


class ControlPlaneClaim(Claim):
    """The claim for the control plane's database."""

    size: Quantity = "1Gi"
    """How much is asked for."""


class Storage(Settings):
    """The server's claims, in the order in which they are declared. They outlive the StatefulSet."""

    metadata: Claim = Field(default_factory=Claim)
    """File metadata, at /data/store/metadata."""
    content: Claim | None = None
    """File content, at /data/store/block. Set it, with an object store too: the local block store there holds
    the only copy of what is not uploaded yet, and without a claim that is lost with the Pod. A run warns
    where it is unset."""
    controlplane: ControlPlaneClaim = Field(default_factory=ControlPlaneClaim)
    """The control plane's database, at /data/controlplane."""
    replace: bool = False
    """Let a change that Kubernetes forbids (claims, namespace) replace the StatefulSet; volumes stay."""


AbsolutePath = Annotated[str, Field(pattern=r"^/.*[^/]$")]
DatabaseName = Annotated[str, Field(max_length=63, pattern=r"^[a-z_][a-z0-9_]*$")]
Image = Annotated[str, Field(min_length=1)]


class Sqlite(Settings):
    """A file on the control plane's claim."""

    path: AbsolutePath = "/data/controlplane/controlplane.db"
    """Where the file is. Outside the claims it would not outlive the Pod."""


class PostgresKeys(Settings):
    """Under which keys the Secret holds what the server needs."""

    host: DataKey = "host"
    """Host name or address."""
    port: DataKey = "port"
    """Port; where the Secret does not have it, the server takes 5432."""
    database: DataKey = "database"
    """Name of the database."""
    user: DataKey = "user"
    """Name of the user."""
    password: DataKey = "password"  # noqa: S105  (the name of a key, not a password)
    """The user's password."""


class Postgres(Settings):
    """A PostgreSQL database that exists already. Its user must be allowed to create tables in it."""

    secret: ObjectName
    """Secret with host, port, database, user and password."""
    keys: PostgresKeys = Field(default_factory=PostgresKeys)
    """Keys in that Secret."""
    sslmode: Literal["disable", "require", "verify-ca", "verify-full"] = "require"
    """How TLS is used towards it."""
    ca: SecretKey | None = None
    """PEM bundle that its certificate is verified with; unset trusts the image's own authorities."""

    @model_validator(mode="after")
    def _something_to_verify(self) -> "Postgres":
        if self.ca is not None and self.sslmode in {"disable", "require"}:
            raise ValueError("ca is for sslmode verify-ca or verify-full; set one of them, or drop ca")
        return self


class Percona(Settings):
    """A PostgreSQL cluster, declared with the server and run by Percona's operator, which must be there."""

    postgres_version: Annotated[int, Field(ge=13, le=18)] = 16
    """Major version of PostgreSQL."""
    image: Image | None = None
    """Image of that PostgreSQL. Only an operator that OLM installed knows one by itself."""
    replicas: Annotated[int, Field(ge=1, le=9)] = 1
    """Instances of PostgreSQL."""
    storage: Quantity = "10Gi"
    """Size of each instance's volume."""
    storage_class: str | None = None
    """Storage class of the volumes; unset takes the cluster's default."""
    database: DatabaseName = "dittofs"
    """Name of the database. Do not change it later: the server would start empty."""
    spec: dict[str, Any] = Field(default_factory=dict)
    """Merged over the PerconaPGCluster's spec, in Percona's words: resources, backups, pgBouncer, …"""
    delete_with_server: bool = False
    """Delete the cluster when it leaves the configuration. Off: it stays, with all that is in it."""


class Database(Settings):
    """The control plane's database."""

    sqlite: Sqlite = Field(default_factory=Sqlite)
    """A file; the default."""
    postgres: Postgres | None = None
    """PostgreSQL by Secret."""
    percona: Percona | None = None
    """PostgreSQL by Percona's operator."""

    @model_validator(mode="after")
    def _one(self) -> "Database":
        written = [name for name in ("sqlite", "postgres", "percona") if name in self.model_fields_set]
        if len(written) > 1:
            raise ValueError(f"{' and '.join(written)} are {len(written)} databases; choose one")
        return self


KubernetesBlock = dict[str, Any]
"""A block in Kubernetes' own words."""


def _with_text(key: str) -> AfterValidator:
    # These lists are merged by this key, before the Kubernetes API has seen them.
    def check(block: KubernetesBlock) -> KubernetesBlock:
        if not isinstance(block.get(key), str) or not block[key]:
            raise ValueError(f"must have a {key}")
        return block

    return AfterValidator(check)


def _not_a_claim(block: KubernetesBlock) -> KubernetesBlock:
    # Kubernetes would silently mount the claim of that name in its place.
    if block["name"] in CLAIM_NAMES:
        raise ValueError(f"{block['name']!r} is the name of a claim; choose another")
    return block


CLAIM_NAMES = ("metadata", "content", "controlplane")
"""Names of the server's claims, in the order in which they are declared."""

EnvBlock = Annotated[KubernetesBlock, _with_text("name")]
VolumeBlock = Annotated[KubernetesBlock, _with_text("name"), AfterValidator(_not_a_claim)]
MountBlock = Annotated[KubernetesBlock, _with_text("name"), _with_text("mountPath")]


class Deploy(Settings):
    """The server itself. What is not set is as the DittoFS operator has it."""

    image: Image = f"marmos91c/dittofs:{TESTED_VERSION}"
    """Container image; the default is the newest version that dittoinfra is tested with. A change to an older
    version is refused, and so is an upgrade that skips v0.31.1, which converts what earlier versions wrote,
    or that comes before it has run. A tag that names no exact version cannot be checked: a warning says so,
    and the default does not replace it."""
    approve_image: Image | None = None
    """Repeat the image here to allow a change that would otherwise be refused."""
    image_pull_policy: Literal["Always", "IfNotPresent", "Never"] | None = None
    """When the image is pulled; unset leaves it to Kubernetes."""
    image_pull_secrets: list[ObjectName] = Field(default_factory=list)
    """Names of Secrets to pull the image with."""
    replicas: Annotated[int, Field(ge=0, le=1)] = 1
    """0 or 1: a DittoFS server is not replicated."""
    resources: KubernetesBlock = Field(default_factory=dict)
    """Requests and limits of the container, in Kubernetes' words."""
    node_selector: dict[LabelKey, LabelValue] = Field(default_factory=dict)
    """Labels that a node must have."""
    tolerations: list[KubernetesBlock] = Field(default_factory=list)
    """Taints that the Pod tolerates, in Kubernetes' words."""
    affinity: KubernetesBlock = Field(default_factory=dict)
    """Affinity, in Kubernetes' words."""
    topology_spread_constraints: list[KubernetesBlock] = Field(default_factory=list)
    """Topology spread constraints, in Kubernetes' words."""
    priority_class: ObjectName | None = None
    """Priority class of the Pod."""
    service_account: ObjectName | None = None
    """Service account of the Pod; its token is never mounted."""
    env: list[EnvBlock] = Field(default_factory=list)
    """Further environment variables, in Kubernetes' words; one of the same name wins. No secret values."""
    volumes: list[VolumeBlock] = Field(default_factory=list)
    """Further volumes of the Pod, in Kubernetes' words; one of the same name wins."""
    volume_mounts: list[MountBlock] = Field(default_factory=list)
    """Where they are mounted, in Kubernetes' words; one at the same path wins."""
    pod_security_context: KubernetesBlock = Field(default_factory=dict)
    """Merged over the Pod's security context; `null` takes a default away."""
    container_security_context: KubernetesBlock = Field(default_factory=dict)
    """Merged over the container's security context; `null` takes a default away."""
    read_only_root_filesystem: bool = False
    """Mount the image read-only; what the server writes goes to its claims and a scratch volume."""
    update_strategy: Literal["RollingUpdate", "OnDelete"] = "RollingUpdate"
    """`OnDelete` restarts the Pod only when it is deleted by hand."""
    grace_period: Duration | None = None
    """Time for the Pod to stop; unset follows from `config.shutdownTimeout`."""
    freeze_ports: bool = False
    """Keep adapter ports out of the Pod, so that no change of adapters ever restarts it."""
    pod_disruption_budget: bool = False
    """Let no drain evict the Pod: it waits until the Pod is deleted by hand, or this is off again."""
    create_namespace: bool = False
    """Declare the namespace as well."""
    config: ServerConfig = Field(default_factory=ServerConfig)
    """The server's own configuration, `config.yaml`."""
    credentials: Credentials = Field(default_factory=Credentials)
    """Where the signing key and the first administrator's password come from."""
    storage: Storage = Field(default_factory=Storage)
    """Volume claims."""
    database: Database = Field(default_factory=Database)
    """Where the server keeps users, shares and adapters."""
    api: ApiEndpoint = Field(default_factory=ApiEndpoint)
    """The REST API: port, TLS, Service and routes to it."""
    metrics: Metrics = Field(default_factory=Metrics)
    """Prometheus metrics."""

    @model_validator(mode="after")
    def _ports_differ(self) -> "Deploy":
        if self.metrics.enabled and self.metrics.port == self.api.port:
            raise ValueError(f"api.port and metrics.port must differ, both are {self.api.port}")
        return self
