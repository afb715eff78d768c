"""DittoFS on Kubernetes: Services that follow the adapters a server really serves.

What other Pulumi programs import is loaded when it is used: the command needs none of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dittoinfra.sdk.ask import ServerAnswer, ServerQuestion, ask_servers
    from dittoinfra.sdk.cluster_provider import PROVIDER_SETTINGS
    from dittoinfra.sdk.headless_service import HeadlessService
    from dittoinfra.sdk.output_types import Adapter, Condition, Endpoints
    from dittoinfra.sdk.server_inputs import (
        DeployedServerArgs,
        ExistingServerArgs,
        HeadlessPort,
        HeadlessServiceArgs,
    )
    from dittoinfra.sdk.servers import DeployedServer, ExistingServer

__version__ = "0.1.0"

__all__ = [
    "PROVIDER_SETTINGS",
    "Adapter",
    "Condition",
    "DeployedServer",
    "DeployedServerArgs",
    "Endpoints",
    "ExistingServer",
    "ExistingServerArgs",
    "HeadlessPort",
    "HeadlessService",
    "HeadlessServiceArgs",
    "ServerAnswer",
    "ServerQuestion",
    "__version__",
    "ask_servers",
]

_MODULES = {
    "PROVIDER_SETTINGS": "sdk.cluster_provider",
    "Adapter": "sdk.output_types",
    "Condition": "sdk.output_types",
    "DeployedServer": "sdk.servers",
    "DeployedServerArgs": "sdk.server_inputs",
    "Endpoints": "sdk.output_types",
    "ExistingServer": "sdk.servers",
    "ExistingServerArgs": "sdk.server_inputs",
    "HeadlessPort": "sdk.server_inputs",
    "HeadlessService": "sdk.headless_service",
    "HeadlessServiceArgs": "sdk.server_inputs",
    "ServerAnswer": "sdk.ask",
    "ServerQuestion": "sdk.ask",
    "ask_servers": "sdk.ask",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
