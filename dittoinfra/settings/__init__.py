"""The stack's configuration as one validated model."""

from dittoinfra.settings.adapter_settings import DnsSettings, TypeSettings
from dittoinfra.settings.deploy import Deploy, ServerSecrets
from dittoinfra.settings.layers import effective_servers, service_settings
from dittoinfra.settings.problems import ConfigurationError, Problem, SettingPath
from dittoinfra.settings.provenance import Origin
from dittoinfra.settings.selectors import Peer
from dittoinfra.settings.server import ByPortForward, PasswordSecret, ServerSettings
from dittoinfra.settings.stack import ANY_SERVER, StackSettings

__all__ = [
    "ANY_SERVER",
    "ByPortForward",
    "ConfigurationError",
    "Deploy",
    "DnsSettings",
    "Origin",
    "PasswordSecret",
    "Peer",
    "Problem",
    "ServerSecrets",
    "ServerSettings",
    "SettingPath",
    "StackSettings",
    "TypeSettings",
    "effective_servers",
    "service_settings",
]
