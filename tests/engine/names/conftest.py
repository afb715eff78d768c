"""The real ExternalDNS in both versions, on the Services of one test."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dittoinfra.engine.engine_errors import EngineError
from lab.bed.external_dns import DnsZone, ExternalDns
from lab.bed.kubernetes import KubernetesApi
from lab.bed.tools import EXTERNAL_DNS, EXTERNAL_DNS_TOOLS
from lab.gotools import StreamProgress, build
from tests.engine.namespace import Namespace


@pytest.fixture
def zone(tmp_path: Path) -> DnsZone:
    """The records of one test."""
    return DnsZone(tmp_path / "zone.json")


@pytest.fixture
def external_dns(
    request: pytest.FixtureRequest, kubernetes_api: KubernetesApi, namespace: Namespace, zone: DnsZone
) -> Callable[[str], ExternalDns]:
    """ExternalDNS by its version."""
    capture = request.config.pluginmanager.getplugin("capturemanager")

    def of(version: str) -> ExternalDns:
        tool = EXTERNAL_DNS_TOOLS[version]
        try:
            # The first build takes minutes, in which something must be seen to happen.
            with capture.global_and_fixture_disabled():
                binary = tool.binary(build(tool, StreamProgress()), EXTERNAL_DNS)
        except EngineError as error:
            pytest.fail(str(error), pytrace=False)
        return ExternalDns(binary, kubernetes_api.kubeconfig, namespace.name, zone)

    return of
