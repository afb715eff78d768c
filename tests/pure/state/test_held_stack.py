"""A state as a tree that can be declared again, or not at all."""

from typing import Any

import pytest

from dittoinfra.object_model import HeldObject
from dittoinfra.state import remember
from tests.pure.state.test_services import urn

SERVER = "dittoinfra:index:Server"
CONFIG_MAP = f"{SERVER}$kubernetes:core/v1:ConfigMap"


def labelled(instance: str) -> dict[str, Any]:
    return {"outputs": {"metadata": {"labels": {"instance": instance}}}}


def test_every_object_is_held_with_its_server_and_a_namespace_with_the_stack() -> None:
    memory = remember(
        {
            urn("dittoinfra-prod", "pulumi:pulumi:Stack"): {"outputs": {"servers": {}}},
            urn("default_4_34_2", "pulumi:providers:kubernetes"): {"outputs": {}},
            urn("media", SERVER): {"outputs": {"found": False}},
            urn("media/nfs"): {},
            urn("udp:media/nfs"): {},
            urn("files", "kubernetes:core/v1:Namespace"): {},
        },
        {},
        {},
    )

    assert memory.held is not None
    assert memory.held.servers == {"media": {"found": False}}
    assert memory.held.outputs == {"servers": {}}
    assert memory.held.objects == (
        ("media", HeldObject("v1", "Service", "media/nfs")),
        ("media", HeldObject("v1", "Service", "udp:media/nfs")),
        (None, HeldObject("v1", "Namespace", "files")),
    )


@pytest.mark.parametrize(
    ("name", "outputs", "server"),
    [
        ("media", {}, "media"),
        ("media-api", {}, "media-api"),
        ("media-api", labelled("media"), "media"),
        ("media-config", labelled("edited by hand"), "media"),
        ("media-api-config", {}, "media-api"),
    ],
)
def test_a_label_tells_the_server_and_else_the_name_does(
    name: str, outputs: dict[str, Any], server: str
) -> None:
    servers: dict[str, dict[str, Any]] = {urn(name, SERVER): {} for name in ("media", "media-api", "me")}

    memory = remember({**servers, urn(name, CONFIG_MAP): outputs}, {}, {})

    assert memory.held is not None
    assert memory.held.objects == ((server, HeldObject("v1", "ConfigMap", name)),)


@pytest.mark.parametrize(
    "other",
    [
        urn("media/nfs", f"{SERVER}$dittoinfra:index:AdapterService"),
        urn("media/nfs", f"{SERVER}$dittoinfra:index:AdapterService$kubernetes:core/v1:Service"),
        urn("media", "kubernetes:apps/v1:StatefulSet"),
        urn("bucket", "aws:s3/bucket:Bucket"),
        urn("backup-config", CONFIG_MAP),
    ],
    ids=["former component", "in a former component", "no server's", "not ours", "of an unknown server"],
)
def test_a_state_with_anything_else_in_it_cannot_be_held(other: str) -> None:
    assert remember({urn("media", SERVER): {}, urn("media/nfs"): {}, other: {}}, {}, {}).held is None


def test_a_provider_that_leads_elsewhere_would_replace_what_is_held() -> None:
    provider = {urn("default", "pulumi:providers:kubernetes"): {"outputs": {"renderYamlToDirectory": "here"}}}

    assert remember(provider, {"renderYamlToDirectory": "here"}, {}).held is not None
    assert remember(provider, {"renderYamlToDirectory": "there"}, {}).held is None
