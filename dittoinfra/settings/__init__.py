"""The stack's configuration as one validated model."""

from dittoinfra.settings.adapters import AdapterSettings, Extras, Pinned, ServiceSettings, TypeSettings
from dittoinfra.settings.checks import check_found
from dittoinfra.settings.deploy import Deploy, Metrics, ServerSecrets
from dittoinfra.settings.discovery import ServersFrom
from dittoinfra.settings.dns import DnsSettings
from dittoinfra.settings.inside import PasswordSecret
from dittoinfra.settings.layers import effective_servers, service_settings
from dittoinfra.settings.load import load
from dittoinfra.settings.network import Peer
from dittoinfra.settings.problems import ConfigurationError, Problem
from dittoinfra.settings.provenance import Explained, Origin, UnknownServerError, explain
from dittoinfra.settings.server import ApiSettings, Layer, ServerSettings
from dittoinfra.settings.stack import ANY_SERVER, StackSettings
from dittoinfra.settings.way import ByPortForward, ByUrl, PodTarget, ServiceTarget, Way, way_to

__all__ = [
    "ANY_SERVER",
    "AdapterSettings",
    "ApiSettings",
    "ByPortForward",
    "ByUrl",
    "ConfigurationError",
    "Deploy",
    "DnsSettings",
    "Explained",
    "Extras",
    "Layer",
    "Metrics",
    "Origin",
    "PasswordSecret",
    "Peer",
    "Pinned",
    "PodTarget",
    "Problem",
    "ServerSecrets",
    "ServerSettings",
    "ServersFrom",
    "ServiceSettings",
    "ServiceTarget",
    "StackSettings",
    "TypeSettings",
    "UnknownServerError",
    "Way",
    "check_found",
    "effective_servers",
    "explain",
    "load",
    "service_settings",
    "way_to",
]
