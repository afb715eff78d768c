"""The real engine, writing manifests into a folder."""

import base64
from collections.abc import Iterator
from pathlib import Path

import pulumi
import pytest
import yaml
from pulumi import automation as auto
from pulumi_kubernetes import Provider
from pulumi_kubernetes.core.v1 import ConfigMap, Secret
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from lab.bed.credentials import credential
from lab.standin import FolderStore, StandInProvider
from tests.contract.standin.bench import UNCHANGED, Bench, service


@pytest.fixture
def manifests(tmp_path: Path) -> Path:
    return tmp_path / "manifests"


@pytest.fixture
def bench(pulumi_cli: auto.PulumiCommand, tmp_path: Path, manifests: Path) -> Iterator[Bench]:
    with StandInProvider(FolderStore(manifests)) as provider:
        yield Bench(pulumi_cli, tmp_path / "engine", provider.environment())


def test_a_service_lives_and_dies_with_its_manifest(bench: Bench, manifests: Path) -> None:
    # given a declared Service
    assert bench.up(_declare) == {"create": 2}
    path = manifests / "dev" / "files" / "service-web.yaml"
    first = path.read_bytes()

    # then its manifest says exactly what was declared, whole numbers included
    assert yaml.safe_load(first) == {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "annotations": {"note": "one"},
            "labels": {"app.kubernetes.io/name": "web"},
            "name": "web",
            "namespace": "files",
        },
        "spec": {"ports": [{"name": "nfs", "port": 2049, "protocol": "TCP", "targetPort": 12049}]},
    }
    # and a second run has nothing to do
    assert bench.preview(_declare) == UNCHANGED
    assert bench.up(_declare) == {"same": 2}
    assert path.read_bytes() == first

    # when an annotation changes, the manifest follows
    assert bench.up(lambda: _declare(note="two")) == {"same": 1, "update": 1}
    assert yaml.safe_load(path.read_bytes())["metadata"]["annotations"] == {"note": "two"}

    # when everything goes, so do the manifest and its folders
    assert bench.destroy() == {"delete": 2}
    assert not (manifests / "dev").exists()


def test_a_preview_writes_nothing(bench: Bench, manifests: Path) -> None:
    assert bench.preview(_declare) == {"create": 2}
    assert not manifests.exists()


def test_an_edited_manifest_is_drift_and_a_removed_one_is_gone(bench: Bench, manifests: Path) -> None:
    bench.up(_declare)
    path = manifests / "dev" / "files" / "service-web.yaml"
    assert bench.refresh() == {"same": 2}

    path.write_text(path.read_text().replace("port: 2049", "port: 3049"))
    assert bench.refresh() == {"same": 1, "update": 1}
    assert bench.changed_paths(_declare) == {"web": ["spec.ports[0].port"]}

    path.unlink()
    assert bench.refresh() == {"same": 1, "delete": 1}


def test_an_object_without_a_name_is_refused(bench: Bench, manifests: Path) -> None:
    assert "makes up no names; give the object its name" in bench.failure(_nameless)
    assert not manifests.exists()


def test_a_name_cannot_lead_out_of_the_folder(bench: Bench, tmp_path: Path) -> None:
    assert "'../../escaped' is not a name" in bench.failure(lambda: service("../../escaped"))
    assert not list(tmp_path.rglob("*escaped*"))


def test_the_stack_configuration_chooses_the_folder(pulumi_cli: auto.PulumiCommand, tmp_path: Path) -> None:
    # given a provider that was given no store
    with StandInProvider() as provider:
        benches = {
            name: Bench(
                pulumi_cli,
                tmp_path / name,
                provider.environment(),
                config={
                    "kubernetes:renderYamlToDirectory": str(tmp_path / f"to-{name}"),
                    "kubernetes:namespace": name,
                },
            )
            for name in ("red", "blue")
        }
        # when two engines attach with different configurations
        for bench in benches.values():
            bench.up(lambda: service())

    # then each wrote into its own folder and default namespace
    assert _files(tmp_path / "to-red") == ["1-manifest/v1-service-red-web.yaml"]
    assert _files(tmp_path / "to-blue") == ["1-manifest/v1-service-blue-web.yaml"]


def test_two_providers_of_one_stack_keep_apart(pulumi_cli: auto.PulumiCommand, tmp_path: Path) -> None:
    def program() -> None:
        for name in ("red", "blue"):
            provider = Provider(name, render_yaml_to_directory=str(tmp_path / f"to-{name}"), namespace=name)
            options = pulumi.ResourceOptions(provider=provider)
            ConfigMap(name, metadata=ObjectMetaArgs(name=name), data={"a": "b"}, opts=options)

    with StandInProvider() as attached:
        bench = Bench(pulumi_cli, tmp_path / "engine", attached.environment())
        bench.up(program)
        assert bench.preview(program) == {"same": 5}

    assert _files(tmp_path / "to-red") == ["1-manifest/v1-configmap-red-red.yaml"]
    assert _files(tmp_path / "to-blue") == ["1-manifest/v1-configmap-blue-blue.yaml"]


def test_a_mistake_of_ours_is_one_line_that_quotes_no_values(
    pulumi_cli: auto.PulumiCommand, tmp_path: Path, manifests: Path
) -> None:
    value = credential("value")

    def mistake(operation: str, urn: str) -> str | None:
        raise KeyError(value)

    with StandInProvider(FolderStore(manifests), fail_on=mistake) as provider:
        message = Bench(pulumi_cli, tmp_path / "engine", provider.environment()).failure(_declare)

    assert "unexpected KeyError in the stand-in Kubernetes provider" in message
    assert value not in message
    assert "Traceback" not in message


def test_what_only_the_official_plugin_can_do_is_said(bench: Bench) -> None:
    def program() -> None:
        pulumi.runtime.invoke("kubernetes:yaml:decode", {"text": "a: b"})

    message = bench.failure(program)

    assert "the stand-in Kubernetes provider does not serve Invoke; use the official plugin for it" in message


def test_a_value_unknown_at_preview_is_shown_and_then_known(bench: Bench, manifests: Path) -> None:
    def program() -> None:
        first = service("first", namespace="files")
        note = first.id.apply(lambda identity: f"after {identity}")
        service("second", namespace="files", annotations={"note": note})

    assert bench.preview(program) == {"create": 3}
    bench.up(program)

    written = yaml.safe_load((manifests / "dev" / "files" / "service-second.yaml").read_text())
    assert written["metadata"]["annotations"] == {"note": "after files/first"}


def test_a_secret_is_readable_by_its_owner_alone_and_encrypted_in_the_state(
    bench: Bench, manifests: Path
) -> None:
    password = credential("of-a-secret")

    def program() -> None:
        Secret("key", metadata={"name": "key"}, string_data={"password": pulumi.Output.secret(password)})

    bench.up(program)

    path = manifests / "dev" / "default" / "secret-key.yaml"
    encoded = base64.b64encode(password.encode()).decode()
    assert yaml.safe_load(path.read_text())["data"] == {"password": encoded}
    assert path.stat().st_mode & 0o077 == 0
    assert password not in bench.state()
    assert encoded not in bench.state()


def _declare(note: str = "one") -> None:
    service(namespace="files", annotations={"note": note})


def _nameless() -> None:
    ConfigMap("nameless", data={"a": "b"})


def _files(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
