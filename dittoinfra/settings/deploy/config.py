"""The server's own configuration file."""

from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from dittoinfra.settings.base import Duration, LongDuration, Settings
from dittoinfra.settings.deploy.extra import check_extra
from dittoinfra.settings.deploy.kerberos import Kerberos
from dittoinfra.settings.deploy.ldap import Ldap


class Logging(Settings):
    """The server's log, which goes to the container's standard output."""

    level: Literal["DEBUG", "INFO", "WARN", "ERROR"] = "INFO"
    """How much is logged."""
    format: Literal["text", "json"] = "json"
    """How a line looks."""


class Tokens(Settings):
    """Lifetimes of API tokens."""

    access: LongDuration = timedelta(minutes=15)
    """Of an access token."""
    refresh: LongDuration = timedelta(hours=168)
    """Of a refresh token."""


class Snapshots(Settings):
    """The server's snapshot scheduler. Policies belong to shares: its API has them, its configuration not."""

    scheduler: bool = True
    """Take and prune snapshots as the shares' policies say."""
    poll_interval: Duration = timedelta(minutes=1)
    """Time between two looks at the policies for what is due."""
    restore_timeout: LongDuration = timedelta(minutes=30)
    """How long a restore asked for through the API may take."""


class ServerConfig(Settings):
    """What becomes `config.yaml`. Secrets never do: they reach the server through its environment."""

    logging: Logging = Field(default_factory=Logging)
    """The log."""
    shutdown_timeout: Duration = timedelta(seconds=30)
    """How long the server may take to stop; the Pod's grace period follows from it."""
    tokens: Tokens = Field(default_factory=Tokens)
    """Token lifetimes."""
    snapshots: Snapshots = Field(default_factory=Snapshots)
    """Scheduled snapshots."""
    ldap: Ldap | None = None
    """Users and groups from a directory."""
    kerberos: Kerberos | None = None
    """Kerberos authentication."""
    extra: Annotated[dict[str, Any], AfterValidator(check_extra)] = Field(default_factory=dict)
    """Further keys of config.yaml, in the server's words, merged over everything above."""
