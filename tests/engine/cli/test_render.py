"""`dittoinfra render` as a person types it: files for GitOps, and no cluster anywhere."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab.bed.credentials import credential
from tests.engine.cli.fleet_bed import PASSPHRASE, Fleet

pytestmark = pytest.mark.long

JWT = credential("signing-key")
DEPLOYED = {"deploy": {"credentials": {"adminPassword": {"secret": "given", "key": "password"}}}}


@pytest.fixture
def stack(fleet: Fleet) -> Fleet:
    """A stack that deploys its server, whose signing key it makes a Secret of, and asks it for adapters."""
    fleet.add_stack("prod", fleet.block("prod", **DEPLOYED))
    secret(fleet, "dittoinfra:serverSecrets.media.jwt", JWT)
    return fleet


def secret(fleet: Fleet, key: str, value: str) -> None:
    """Encrypt a value into the stack's file, as `pulumi config set --secret` does."""
    fleet.stack("prod").set_config(key, value, secret=True, path=True)


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file's content and time of change."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def documents(text: str) -> dict[str, Any]:
    return {f"{d['kind']} {d['metadata']['name']}": d for d in yaml.safe_load_all(text)}


def test_the_folder_holds_what_the_stack_would_declare_and_stays_as_it_is(stack: Fleet) -> None:
    first = stack.run("render", "prod", "--out", "deploy")

    assert first.returncode == 0, first.stderr
    made = tree(stack.root / "deploy")
    assert set(made) == {
        ".dittoinfra-render",
        "files/configmap-media-config.yaml",
        "files/service-media-adapter-nfs.yaml",
        "files/service-media-api.yaml",
        "files/service-media-headless.yaml",
        "files/statefulset-media.yaml",
    }
    nfs = yaml.safe_load(made["files/service-media-adapter-nfs.yaml"][0])
    assert nfs["spec"]["ports"][0]["targetPort"] == 12049
    assert "left out: Secret media-jwt-secret: make it in the cluster, or give --with-secrets" in first.stderr
    assert JWT not in str(made)

    again = stack.run("render", "prod", "--out", "deploy")

    assert again.returncode == 0, again.stderr
    assert tree(stack.root / "deploy") == made
    assert again.stdout == "unchanged: 5 manifests in deploy\n"
    assert stack.services("prod") == {}, "nothing was declared"


def test_a_manifest_goes_with_its_adapter_and_files_of_others_stay(stack: Fleet) -> None:
    stack.run("render", "prod", "--out", "deploy")
    own = stack.root / "deploy" / "files" / "kustomization.yaml"
    own.write_text("resources: []\n")
    stack.server("prod").disable("nfs")

    done = stack.run("render", "prod", "--out", "deploy", "--json")

    assert done.returncode == 0, done.stderr
    states = {file["path"]: file["state"] for file in json.loads(done.stdout)["files"]}
    assert states["files/service-media-adapter-nfs.yaml"] == "removed"
    assert states["files/service-media-api.yaml"] == "unchanged"
    assert not (stack.root / "deploy" / "files" / "service-media-adapter-nfs.yaml").exists()
    assert own.exists()


def test_the_folder_is_the_memory_of_render(stack: Fleet) -> None:
    stack.run("render", "prod", "--out", "deploy")
    made = tree(stack.root / "deploy")
    service = "files/service-media-adapter-nfs.yaml"

    stack.server("prod").stop()
    silent = stack.run("render", "prod", "--out", "deploy")

    assert silent.returncode == 0, silent.stderr
    assert "1 remembered adapter kept as is" in silent.stderr
    assert tree(stack.root / "deploy") == made

    stack.server("prod").start()
    stack.server("prod").set_adapter("smb", port=12445)
    stack.run("render", "prod", "--out", "deploy")
    stack.server("prod").remove_adapter("nfs")
    missing = [stack.run("render", "prod", "--out", "deploy") for _ in range(2)]
    counted = yaml.safe_load((stack.root / "deploy" / service).read_text())
    gone = stack.run("render", "prod", "--out", "deploy")

    assert [run.returncode for run in missing] == [0, 0]
    assert counted["metadata"]["annotations"]["dittofs.io/absence-count"] == "2"
    assert gone.returncode == 0, gone.stderr
    assert f"removed: deploy/{service}" in gone.stdout


def test_a_second_service_of_udp_ports_does_not_go_with_an_edit(fleet: Fleet) -> None:
    fleet.server("prod").set_adapter("smb", port=12445)
    smb = {"extras": {"wsDiscovery": True}}
    fleet.add_stack("prod", fleet.block("prod", adapters={"types": {"smb": {**smb, "splitUdp": True}}}))
    assert fleet.run("render", "prod", "--out", "deploy").returncode == 0
    made = tree(fleet.root / "deploy")
    assert "files/service-media-adapter-smb-udp.yaml" in made

    fleet.add_stack("prod", fleet.block("prod", adapters={"types": {"smb": smb}}))
    done = fleet.run("render", "prod", "--out", "deploy")

    assert done.returncode == 5, done.stderr
    assert "media/smb (unsplit)" in done.stderr
    assert tree(fleet.root / "deploy") == made


def test_the_state_is_the_memory_and_an_outage_removes_nothing(fleet: Fleet) -> None:
    fleet.add_stack("prod")
    assert fleet.stack("prod").up().ok
    fleet.server("prod").stop()

    done = fleet.run("render", "prod")

    assert done.returncode == 0, done.stderr
    assert set(documents(done.stdout)) == {"Service media-adapter-nfs"}
    assert "1 remembered adapter kept as is" in done.stderr


def test_secrets_are_written_for_their_owner_alone_when_asked_for(stack: Fleet) -> None:
    done = stack.run("render", "prod", "--out", "deploy", "--with-secrets")

    assert done.returncode == 0, done.stderr
    file = stack.root / "deploy" / "files" / "secret-media-jwt-secret.yaml"
    assert yaml.safe_load(file.read_text())["kind"] == "Secret"
    assert file.stat().st_mode & 0o777 == 0o600
    assert JWT not in done.stdout + done.stderr


def test_a_foreign_folder_is_left_alone(stack: Fleet) -> None:
    thesis = stack.root / "deploy" / "thesis.tex"
    thesis.parent.mkdir()
    thesis.write_text("chapter one")

    done = stack.run("render", "prod", "--out", "deploy")

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "error: deploy is not empty and was not made by `dittoinfra render`; name an empty or a new folder"
    )
    assert [path.name for path in thesis.parent.iterdir()] == ["thesis.tex"]


def test_neither_a_provider_nor_a_cluster_is_needed(fleet: Fleet) -> None:
    fleet.add_stack("prod")

    done = fleet.run(
        "render",
        "prod",
        environment={
            "PULUMI_DEBUG_PROVIDERS": "",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "KUBECONFIG": "/nowhere",
        },
    )

    assert done.returncode == 0, done.stderr
    assert set(documents(done.stdout)) == {"Service media-adapter-nfs"}


def test_what_is_wrong_is_said_in_lines_with_fitting_codes(fleet: Fleet) -> None:
    fleet.add_stack("broken", {"name": "Media"}, absencePolls=0)

    unknown = fleet.run("render", "nosuch")
    broken = fleet.run("render", "broken")
    pointless = fleet.run("render", "broken", "--json")
    fleet.add_stack("prod", fleet.block("prod", **DEPLOYED))
    secret(fleet, "dittoinfra:serverSecrets.media.jwt", JWT)
    denied = fleet.run("render", "prod", environment={"PULUMI_CONFIG_PASSPHRASE": f"not {PASSPHRASE}"})

    assert unknown.returncode == 6
    assert unknown.stderr == (
        "error: no stack 'nosuch' is configured in this project; there are broken; "
        "`dittoinfra init nosuch` makes it\n"
    )
    assert broken.returncode == 2
    wrong = [line.split(": ")[1:3] for line in broken.stderr.splitlines() if line.startswith("error: ")]
    assert wrong == [
        ["stacks/Pulumi.broken.yaml:2", "dittoinfra:absencePolls"],
        ["stacks/Pulumi.broken.yaml:4", "dittoinfra:servers[0].name"],
    ]
    assert pointless.returncode == 2
    assert denied.returncode == 3
    assert "PULUMI_CONFIG_PASSPHRASE is wrong" in denied.stderr
