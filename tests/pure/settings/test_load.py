"""A configuration that can be used: from nothing at all to every key."""

from datetime import timedelta

import pytest

from dittoinfra.settings import Deploy, effective_servers, service_settings
from lab.bed.credentials import credential
from tests.pure.settings.reading import CREDENTIALS, read

PASSWORD = credential("password")


def test_an_empty_configuration_is_a_stack_without_servers() -> None:
    stack = read()

    assert stack.servers == []
    assert (stack.namespace, stack.absence_polls, stack.removal) == ("default", 3, "sync")
    assert (stack.on_unreachable, stack.polls_per_run, stack.max_concurrent_polls) == ("keep", 1, 200)


def test_a_server_needs_a_name_and_nothing_else() -> None:
    [server] = effective_servers(read(servers=[{"name": "media"}]))

    assert server.name == "media"
    assert server.deploy is None
    assert server.api.url is None
    assert server.api.deadline == timedelta(seconds=20)
    assert service_settings(server, "nfs").type == "LoadBalancer"


def test_every_key_arrives() -> None:
    stack = read(
        namespace="storage",
        absencePolls=5,
        pollsPerRun=3,
        pollInterval="500ms",
        removal="never",
        onUnreachable="fail",
        maxConcurrentPolls=8,
        approveRemovals=["media/nfs"],
        passwords={"media": PASSWORD, "*": credential("of-all-others")},
        api={"username": "reader", "requestTimeout": "2s", "deadline": "1.5m", "proxy": "http://proxy:3128/"},
        adapters={
            "pinned": [{"type": "nfs", "port": 2049}],
            "service": {
                "type": "LoadBalancer",
                "annotations": {"example.com/pool": "lan"},
                "preset": "operator",
                "extras": {"portmapper": False},
                "splitUdp": True,
                "sourceRanges": ["10.0.0.0/8", "fd00::/8"],
                "externalTrafficPolicy": "Local",
                "loadBalancerClass": "example.com/lb",
                "sessionAffinity": "ClientIP",
                "ipFamilyPolicy": "PreferDualStack",
                "wait": True,
            },
            "types": {"smb": {"servicePort": 445}},
        },
        servers=[
            {
                "name": "media",
                "labels": {"team": "storage"},
                "api": {
                    "url": "https://media.example.com:8080/base/",
                    "passwordEnv": "MEDIA_PASSWORD",
                    "caBundle": "ca.pem",
                    "clientCertificate": "client.pem",
                    "clientKey": "client.key",
                },
                "deploy": {
                    "image": "example.com/dittofs:1",
                    "replicas": 0,
                    "api": {"port": 8443},
                    "credentials": CREDENTIALS,
                    "metrics": {"enabled": True, "port": 9000},
                },
            },
            {"name": "backup", "patchPorts": True},
        ],
    )
    media, backup = effective_servers(stack)

    assert media.api.url == "https://media.example.com:8080/base", "a slash at the end means nothing"
    assert media.api.proxy == "http://proxy:3128"
    assert (media.api.username, media.api.deadline) == ("reader", timedelta(seconds=90))
    assert (media.poll_interval, media.polls_per_run) == (timedelta(milliseconds=500), 3)
    assert media.deploy is not None
    assert media.deploy.metrics.port == 9000
    assert backup.patch_ports
    assert service_settings(media, "smb").service_port == 445
    assert service_settings(media, "nfs").source_ranges == ["10.0.0.0/8", "fd00::/8"]
    assert stack.passwords["media"].get_secret_value() == PASSWORD
    assert stack.approve_removals == ["media/nfs"]


def test_a_text_that_looks_like_json_stays_a_text() -> None:
    assert read(namespace="123").namespace == "123"


def test_a_metrics_port_that_is_off_may_be_the_apis() -> None:
    deploy = Deploy.model_validate({"api": {"port": 9090}})

    assert deploy.metrics.port == deploy.api.port


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1ms", 0.001), ("500ms", 0.5), ("20s", 20), ("1.5s", 1.5), ("2m", 120), ("1h", 3600)],
)
def test_durations_are_written_with_their_unit(text: str, seconds: float) -> None:
    assert read(pollInterval=text).poll_interval == timedelta(seconds=seconds)
