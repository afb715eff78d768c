"""The policy pack on the real engine, in a program without dittoinfra."""

import json
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
import pytest

from lab.bed.credentials import credential
from tests import ROOT
from tests.engine.policy.foreign_program import ForeignProgram, declare
from tests.repository.documents.pages import blocks

OPEN = {"adapter-exposure": {"open": ["media/nfs", "media/smb"]}}


def test_a_mass_removal_stops_until_every_adapter_is_approved(foreign_program: ForeignProgram) -> None:
    foreign_program.begin()
    foreign_program.adapters.clear()

    refused = foreign_program.preview()

    assert not refused.ok
    lines = sorted(refused.lines("error"))  # the engine tells them in any order
    assert [line.partition(": its ")[0] for line in lines] == [
        "policy adapter-removals: media/nfs",
        "policy adapter-removals: media/smb",
    ]
    assert "files/media-nfs is removed" in lines[0]

    half = foreign_program.preview({"adapter-removals": {"approve": ["media/nfs"]}})
    assert [line.partition(": its ")[0] for line in half.lines("error")] == [
        "policy adapter-removals: media/smb"
    ]
    assert foreign_program.services() == {"media/nfs", "media/smb"}

    approved = {"adapter-removals": {"approve": ["media/nfs", "media/smb"]}}
    assert foreign_program.preview(approved).ok
    assert foreign_program.update(approved).ok
    assert foreign_program.services() == set()


def test_a_removal_is_seen_beside_values_that_are_not_known_yet(foreign_program: ForeignProgram) -> None:
    foreign_program.begin()
    del foreign_program.adapters["media/smb"]

    def more(opts: pulumi.ResourceOptions) -> None:
        # The id of what does not exist yet is not known in a preview; neither is what is made of it.
        metadata = {"name": "first", "namespace": "files"}
        first = declare(kubernetes.core.v1.ConfigMap, "first", metadata=metadata, opts=opts)
        metadata = {"name": "second", "namespace": "files"}
        declare(kubernetes.core.v1.ConfigMap, "second", metadata=metadata, data={"of": first.id}, opts=opts)

    foreign_program.more = more

    refused = foreign_program.preview(OPEN)

    assert [line.partition(": its ")[0] for line in refused.lines("error")] == [
        "policy adapter-removals: media/smb"
    ]
    assert not refused.lines("warning"), "no policy gave up"


@pytest.mark.long
def test_a_renamed_resource_keeps_its_service_only_with_an_alias(foreign_program: ForeignProgram) -> None:
    foreign_program.begin()
    smb = foreign_program.adapters["media/smb"]

    smb["resource"] = "files-smb"
    assert not foreign_program.preview(OPEN).ok

    smb["opts"] = pulumi.ResourceOptions(aliases=[pulumi.Alias(name="media/smb")])
    assert foreign_program.preview(OPEN).ok


def test_a_replacement_under_the_same_name_is_seen(foreign_program_in_cluster: ForeignProgram) -> None:
    foreign_program = foreign_program_in_cluster
    nfs = foreign_program.adapters["media/nfs"]
    nfs["opts"] = pulumi.ResourceOptions(replace_on_changes=["metadata.annotations.owner"])
    foreign_program.begin()

    nfs["annotations"] = {"harmless": "true"}
    changed = foreign_program.preview(OPEN)
    assert changed.ok, changed.lines("error")
    assert changed.changes.update == 1

    nfs["annotations"] = {"owner": "storage"}
    refused = foreign_program.preview(OPEN)
    (line,) = refused.lines("error")
    assert "media-nfs is replaced by another of the same name" in line


@pytest.mark.parametrize(
    ("config", "severity"),
    [(None, "warning"), ({"adapter-exposure": {"enforcementLevel": "mandatory"}}, "error")],
)
def test_an_adapter_is_open_to_the_world_only_where_that_is_said(
    foreign_program: ForeignProgram, config: dict[str, object] | None, severity: str
) -> None:
    foreign_program.adapters["media/smb"]["spec"] = {"loadBalancerSourceRanges": ["10.0.0.0/8"]}

    report = foreign_program.preview(config)

    assert report.ok is (severity == "warning")
    (line,) = report.lines(severity)
    assert line.startswith("policy adapter-exposure: media/nfs: ")
    assert "has no spec.loadBalancerSourceRanges" in line


def test_a_node_port_is_looked_at_until_node_ports_are_allowed(foreign_program: ForeignProgram) -> None:
    foreign_program.adapters["media/nfs"]["spec"] = {"type": "NodePort"}
    foreign_program.adapters["media/smb"]["spec"] = {"type": "ClusterIP"}

    (line,) = foreign_program.preview().lines("warning")
    assert line.startswith("policy adapter-exposure: media/nfs: its NodePort Service files/media-nfs opens a")

    for allowed in ({"allowNodePorts": True}, {"open": ["media/nfs"]}):
        assert not foreign_program.preview({"adapter-exposure": allowed}).lines("warning")


def test_the_configuration_of_the_page_is_obeyed(foreign_program: ForeignProgram) -> None:
    [shown] = [block for block in blocks(ROOT / "docs" / "policy.md") if block.language == "json"]
    foreign_program.begin()
    del foreign_program.adapters["media/smb"]
    foreign_program.adapters["public/nfs"] = {}

    lines = sorted(foreign_program.preview(json.loads(shown.text)).lines("error"))

    # `public/nfs` may be open, the removal of `media/smb` is approved, and nothing is protected.
    assert [line.split(": ")[:2] for line in lines] == [
        ["policy adapter-exposure", "media/nfs"],
        ["policy adapter-protection", "media/nfs"],
        ["policy adapter-protection", "public/nfs"],
    ]


@pytest.mark.long
def test_protection_can_be_demanded_and_then_the_engine_keeps_the_service(
    foreign_program: ForeignProgram,
) -> None:
    demanded: dict[str, object] = {**OPEN, "adapter-protection": "mandatory"}
    del foreign_program.adapters["media/smb"]
    (line,) = foreign_program.preview(demanded).lines("error")
    assert "media/nfs" in line
    assert "is not protected" in line

    foreign_program.adapters["media/nfs"]["opts"] = pulumi.ResourceOptions(protect=True)
    assert foreign_program.update(demanded).ok
    foreign_program.adapters.clear()

    approved = {**demanded, "adapter-removals": {"approve": ["media/nfs"]}}
    assert not foreign_program.update(approved).ok, "even with an approval, and without a preview"
    assert foreign_program.services() == {"media/nfs"}


def test_secrets_are_encrypted_in_the_state_and_refused_in_the_clear(foreign_program: ForeignProgram) -> None:
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

    foreign_program.more = secret
    assert foreign_program.update(OPEN).ok
    assert password not in json.dumps(foreign_program.state())

    def pod(opts: pulumi.ResourceOptions) -> None:
        env: list[dict[str, Any]] = [{"name": "DITTOFS_ADMIN_INITIAL_PASSWORD", "value": "a password"}]
        containers = [{"name": "dittofs", "image": "marmos91c/dittofs:0.31.1", "env": env}]
        metadata = {"name": "media", "namespace": "files"}
        declare(
            kubernetes.core.v1.Pod, "media", metadata=metadata, spec={"containers": containers}, opts=opts
        )

    foreign_program.more = pod
    (line,) = foreign_program.preview(OPEN).lines("error")
    assert "DITTOFS_ADMIN_INITIAL_PASSWORD in its specification" in line
