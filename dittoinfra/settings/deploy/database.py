"""Where a deployed server keeps users, shares and adapters."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from dittoinfra.settings.base import ObjectName, Settings
from dittoinfra.settings.deploy.credentials import DataKey, SecretKey
from dittoinfra.settings.deploy.quantity import Quantity

AbsolutePath = Annotated[str, Field(pattern=r"^/.*[^/]$")]
DatabaseName = Annotated[str, Field(max_length=63, pattern=r"^[a-z_][a-z0-9_]*$")]


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
    image: Annotated[str, Field(min_length=1)] | None = None
    """Image of that PostgreSQL. Only an operator that OLM installed knows one by itself."""
    replicas: Annotated[int, Field(ge=1, le=9)] = 1
    """Instances of PostgreSQL."""
    storage: Quantity = "10Gi"
    """Size of each instance's volume."""
    storage_class: str | None = None
    """Storage class of the volumes; unset takes the cluster's default."""
    database: DatabaseName = "dittofs"
    """Name of the database, and no reason to change it later: the server would start with an empty one."""
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
