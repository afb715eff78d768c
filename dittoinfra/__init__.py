"""DittoFS on Kubernetes: Services that follow the adapters a server really serves.

What other Pulumi programs import is loaded when it is used: the command needs none of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dittoinfra.components import HeadlessService, HeadlessServiceArgs, ServicePort
    from dittoinfra.sdk.ask import ServerAnswer, ServerQuestion, ask_servers
    from dittoinfra.sdk.cluster_provider import PROVIDER_SETTINGS
    from dittoinfra.sdk.output_types import Adapter, Condition, Endpoints
    from dittoinfra.sdk.server_inputs import DeployedServerArgs, ExistingServerArgs
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
    "HeadlessService",
    "HeadlessServiceArgs",
    "ServerAnswer",
    "ServerQuestion",
    "ServicePort",
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
    "HeadlessService": "components",
    "HeadlessServiceArgs": "components",
    "ServerAnswer": "sdk.ask",
    "ServerQuestion": "sdk.ask",
    "ServicePort": "components",
    "ask_servers": "sdk.ask",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
