"""The policy pack on the real engine, in a program that is not ours."""

import json
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
import pytest

from lab.bed.credentials import credential
from tests.engine.policy.stranger import Stranger, declare

OPEN = {"adapter-exposure": {"open": ["media/nfs", "media/smb"]}}


def test_a_mass_removal_stops_until_every_adapter_is_approved(stranger: Stranger) -> None:
    stranger.begin()
    stranger.adapters.clear()

    refused = stranger.preview()

    assert not refused.ok
    lines = sorted(refused.lines("error"))  # the engine tells them in any order
    assert [line.partition(": its ")[0] for line in lines] == [
        "policy adapter-removals: media/nfs",
        "policy adapter-removals: media/smb",
    ]
    assert "files/media-nfs is removed" in lines[0]

    half = stranger.preview({"adapter-removals": {"approve": ["media/nfs"]}})
    assert [line.partition(": its ")[0] for line in half.lines("error")] == [
        "policy adapter-removals: media/smb"
    ]
    assert stranger.services() == {"media/nfs", "media/smb"}

    approved = {"adapter-removals": {"approve": ["media/nfs", "media/smb"]}}
    assert stranger.preview(approved).ok
    assert stranger.update(approved).ok
    assert stranger.services() == set()


def test_a_removal_is_seen_beside_values_that_are_not_known_yet(stranger: Stranger) -> None:
    stranger.begin()
    del stranger.adapters["media/smb"]

    def more(opts: pulumi.ResourceOptions) -> None:
        # The id of what does not exist yet is not known in a preview; neither is what is made of it.
        metadata = {"name": "first", "namespace": "files"}
        first = declare(kubernetes.core.v1.ConfigMap, "first", metadata=metadata, opts=opts)
        metadata = {"name": "second", "namespace": "files"}
        declare(kubernetes.core.v1.ConfigMap, "second", metadata=metadata, data={"of": first.id}, opts=opts)

    stranger.more = more

    refused = stranger.preview(OPEN)

    assert [line.partition(": its ")[0] for line in refused.lines("error")] == [
        "policy adapter-removals: media/smb"
    ]
    assert not refused.lines("warning"), "no policy gave up"


@pytest.mark.long
def test_a_renamed_resource_keeps_its_service_only_with_an_alias(stranger: Stranger) -> None:
    stranger.begin()
    smb = stranger.adapters["media/smb"]

    smb["resource"] = "files-smb"
    assert not stranger.preview(OPEN).ok

    smb["opts"] = pulumi.ResourceOptions(aliases=[pulumi.Alias(name="media/smb")])
    assert stranger.preview(OPEN).ok


def test_a_replacement_under_the_same_name_is_seen(stranger_in_a_cluster: Stranger) -> None:
    stranger = stranger_in_a_cluster
    nfs = stranger.adapters["media/nfs"]
    nfs["opts"] = pulumi.ResourceOptions(replace_on_changes=["metadata.annotations.owner"])
    stranger.begin()

    nfs["annotations"] = {"harmless": "true"}
    changed = stranger.preview(OPEN)
    assert changed.ok, changed.lines("error")
    assert changed.changes.update == 1

    nfs["annotations"] = {"owner": "somebody"}
    refused = stranger.preview(OPEN)
    (line,) = refused.lines("error")
    assert "media-nfs is replaced by another of the same name" in line


@pytest.mark.parametrize(
    ("config", "severity"),
    [(None, "warning"), ({"adapter-exposure": {"enforcementLevel": "mandatory"}}, "error")],
)
def test_an_adapter_is_open_to_the_world_only_where_that_is_said(
    stranger: Stranger, config: dict[str, object] | None, severity: str
) -> None:
    stranger.adapters["media/smb"]["spec"] = {"loadBalancerSourceRanges": ["10.0.0.0/8"]}

    report = stranger.preview(config)

    assert report.ok is (severity == "warning")
    (line,) = report.lines(severity)
    assert line.startswith("policy adapter-exposure: media/nfs: ")
    assert "has no spec.loadBalancerSourceRanges" in line


@pytest.mark.long
def test_protection_can_be_demanded_and_then_the_engine_keeps_the_service(stranger: Stranger) -> None:
    demanded: dict[str, object] = {**OPEN, "adapter-protection": "mandatory"}
    del stranger.adapters["media/smb"]
    (line,) = stranger.preview(demanded).lines("error")
    assert "media/nfs" in line
    assert "is not protected" in line

    stranger.adapters["media/nfs"]["opts"] = pulumi.ResourceOptions(protect=True)
    assert stranger.update(demanded).ok
    stranger.adapters.clear()

    approved = {**demanded, "adapter-removals": {"approve": ["media/nfs"]}}
    assert not stranger.update(approved).ok, "even with an approval, and without a preview"
    assert stranger.services() == {"media/nfs"}


def test_secrets_are_encrypted_in_the_state_and_refused_in_the_clear(stranger: Stranger) -> None:
    password = credential("password")

    def secret(opts: pulumi.ResourceOptions) -> None:
        metadata = {"name": "media", "namespace": "files"}
        declare(
            kubernetes.core.v1.Secret,
            "media",
            metadata=metadata,
            string_data={"password": password},
            opts=opts,
        )

    stranger.more = secret
    assert stranger.update(OPEN).ok
    assert password not in json.dumps(stranger.state())

    def pod(opts: pulumi.ResourceOptions) -> None:
        env: list[dict[str, Any]] = [{"name": "DITTOFS_ADMIN_INITIAL_PASSWORD", "value": "a password"}]
        containers = [{"name": "dittofs", "image": "marmos91c/dittofs:0.31.1", "env": env}]
        metadata = {"name": "media", "namespace": "files"}
        declare(
            kubernetes.core.v1.Pod, "media", metadata=metadata, spec={"containers": containers}, opts=opts
        )

    stranger.more = pod
    (line,) = stranger.preview(OPEN).lines("error")
    assert "DITTOFS_ADMIN_INITIAL_PASSWORD in its specification" in line
