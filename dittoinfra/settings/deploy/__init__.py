"""Settings of a server that this stack deploys."""

from dittoinfra.settings.deploy.api import ApiEndpoint
from dittoinfra.settings.deploy.config import ServerConfig
from dittoinfra.settings.deploy.credentials import Credentials, ServerSecrets
from dittoinfra.settings.deploy.database import Database
from dittoinfra.settings.deploy.metrics import Metrics
from dittoinfra.settings.deploy.storage import Claim, Storage
from dittoinfra.settings.deploy.workload import Deploy

__all__ = [
    "ApiEndpoint",
    "Claim",
    "Credentials",
    "Database",
    "Deploy",
    "Metrics",
    "ServerConfig",
    "ServerSecrets",
    "Storage",
]
