"""DittoFS on Kubernetes: Services that follow the adapters a server really serves.

What other Pulumi programs import is loaded when it is used: the command needs none of it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dittoinfra.sdk import *  # noqa: F403 - the names are those of `__all__`

__version__ = "0.1.0"

__all__ = [  # noqa: F405
    "PROVIDER_SETTINGS",
    "Adapter",
    "Condition",
    "DeployedServer",
    "DeployedServerArgs",
    "Dns",
    "Endpoints",
    "ExistingServer",
    "ExistingServerArgs",
    "HeadlessPort",
    "HeadlessService",
    "HeadlessServiceArgs",
    "ProviderSettings",
    "ServedAdapter",
    "ServerAnswer",
    "ServerQuestion",
    "__version__",
    "ask_servers",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import dittoinfra.sdk

    return getattr(dittoinfra.sdk, name)


def __dir__() -> list[str]:
    return __all__
