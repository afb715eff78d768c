"""Prometheus metrics of a deployed server."""

from typing import Annotated

from pydantic import Field

from dittoinfra.settings.base import Duration, LabelKey, LabelValue, Port, Settings
from dittoinfra.settings.network import Peer


class ServiceMonitor(Settings):
    """How Prometheus Operator scrapes the server."""

    enabled: bool = False
    """Declare a ServiceMonitor. Left out, with a warning, where the cluster does not know the kind."""
    interval: Duration | None = None
    """Time between scrapes; unset takes Prometheus' own."""
    labels: dict[LabelKey, LabelValue] = Field(default_factory=dict)
    """Labels that Prometheus selects monitors by."""


class Metrics(Settings):
    """Prometheus metrics of the server."""

    enabled: bool = False
    """Whether the server has a metrics port and a Service for it."""
    port: Port = 9090
    """Its port."""
    path: Annotated[str, Field(pattern=r"^/\S*$")] = "/metrics"
    """Where metrics are found."""
    network_policy_from: list[Peer] | None = None
    """Who may scrape where network policies are on; unset takes `networkPolicy.from`."""
    service_monitor: ServiceMonitor = Field(default_factory=ServiceMonitor)
    """ServiceMonitor of Prometheus Operator."""
