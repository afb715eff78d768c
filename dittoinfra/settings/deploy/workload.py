"""The server's Pod and everything that is declared around it."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from dittoinfra.settings.base import Duration, LabelKey, LabelValue, ObjectName, Settings
from dittoinfra.settings.deploy.api import ApiEndpoint
from dittoinfra.settings.deploy.blocks import EnvBlock, KubernetesBlock, MountBlock, VolumeBlock
from dittoinfra.settings.deploy.config import ServerConfig
from dittoinfra.settings.deploy.credentials import Credentials
from dittoinfra.settings.deploy.database import Database
from dittoinfra.settings.deploy.metrics import Metrics
from dittoinfra.settings.deploy.storage import Storage


class Deploy(Settings):
    """The server itself. What is not set is as the DittoFS operator has it."""

    image: Annotated[str, Field(min_length=1)] = "marmos91c/dittofs:latest"
    """Container image. Pin a version in production."""
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
    """Taints that the Pod puts up with, in Kubernetes' words."""
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
    """`OnDelete` leaves the moment of a restart to whoever deletes the Pod."""
    grace_period: Duration | None = None
    """Time for the Pod to stop; unset follows from `config.shutdownTimeout`."""
    freeze_ports: bool = False
    """Keep adapter ports out of the Pod, so that no change of adapters ever restarts it."""
    pod_disruption_budget: bool = False
    """Let no drain evict the Pod: it waits until somebody deletes the Pod, or this is off again."""
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
