"""The files that `init` writes for given answers."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dittoinfra.model import RememberedAdapter, RememberedServer
from dittoinfra.object_model import DeclaredObject, HeldObject
from dittoinfra.settings.configuration import load
from dittoinfra.setup import manifests
from dittoinfra.setup.adoption_config import AdoptionRefusedError, with_adoption
from dittoinfra.setup.manifests import (
    MARKER,
    FolderRefusedError,
    Manifest,
    RenderedMemory,
    read_marker,
    render,
    write_folder,
)
from dittoinfra.setup.stack_secrets import missing_secrets, new_secret
from dittoinfra.setup.stack_template import SERVICE_TYPES, NewServer, NewStack, ServiceType, stack_yaml
from dittoinfra.whole_files import write_over

SECRETS = {"jwt": "j" * 40, "adminPassword": "p" * 20}


def as_values(config: dict[str, Any]) -> dict[str, str]:
    """A file's configuration as the engine hands it over."""
    return {key: value if isinstance(value, str) else json.dumps(value) for key, value in config.items()}


texts = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20)


@settings(deadline=None)  # a busy machine is no failure
@given(
    context=st.none() | texts,
    kubeconfig=st.none() | texts,
    username=texts,
    kind=st.sampled_from(SERVICE_TYPES),
)
def test_whatever_is_wished_for_stands_in_a_valid_file(
    context: str | None, kubeconfig: str | None, username: str, kind: ServiceType
) -> None:
    servers = (
        NewServer("media", "https://media.example.com:8080", deploy=False),
        NewServer("archive", None, deploy=True),
    )
    wishes = NewStack("prod", "files", servers, kind, username, kubeconfig, context)

    config = yaml.safe_load(stack_yaml(wishes))["config"]

    assert config.get("kubernetes:context") == context
    assert config.get("kubernetes:kubeconfig") == kubeconfig
    ours = {k.removeprefix("dittoinfra:"): v for k, v in config.items() if k.startswith("dittoinfra:")}
    ours["serverSecrets"] = {"archive": SECRETS}
    loaded = load(as_values(ours), {"serverSecrets"})
    assert loaded.api.username == username
    assert loaded.adapters.service.type == kind
    assert [(s.name, s.api.url, s.deploy is not None) for s in loaded.servers] == [
        ("media", "https://media.example.com:8080", False),
        ("archive", None, True),
    ]


def missing(*servers: dict[str, Any], **settings: object) -> tuple[str, ...]:
    config = {"servers": list(servers), **settings}
    found = missing_secrets({f"dittoinfra:{key}": json.dumps(value) for key, value in config.items()})
    return tuple(map(str, found))


def test_secrets_are_missing_only_where_nothing_gives_them() -> None:
    asked = {"name": "media", "api": {"url": "http://media"}}
    referred = {"credentials": {"jwt": {"secret": "a", "key": "b"}}}

    assert missing(asked) == ("dittoinfra:passwords.media",)
    assert missing(asked, passwords={"media": "x"}) == ()
    assert missing(asked, passwords={"*": "x"}) == ()
    assert missing(asked, api={"passwordEnv": "PW"}) == ()
    assert missing({"name": "media"}) == ()
    assert missing({"name": "new", "deploy": {}}) == (
        "dittoinfra:serverSecrets.new.jwt",
        "dittoinfra:serverSecrets.new.adminPassword",
        "dittoinfra:passwords.new",
    )
    assert (
        missing(
            {"name": "new", "deploy": referred},
            serverSecrets={"new": {"adminPassword": "x"}},
            passwords={"new": "x"},
        )
        == ()
    )


def test_nonsense_in_a_configuration_needs_no_secrets() -> None:
    assert missing_secrets({"dittoinfra:servers": "not JSON"}) == ()
    assert missing_secrets({"dittoinfra:servers": '[1, {"name": 2}]'}) == ()


def test_a_new_secret_fits_where_it_is_used_and_is_never_the_same() -> None:
    assert 32 <= len(new_secret()) <= 72
    assert new_secret() != new_secret()


def declared(kind: str, name: str, api_version: str = "v1", **parts: object) -> DeclaredObject:
    metadata = {"name": name, "namespace": "files"}
    manifest = {"spec": {"b": 1, "a": [{"d": 1, "c": 2}]}, **parts, "metadata": metadata}
    manifest |= {"kind": kind, "apiVersion": api_version}
    return DeclaredObject("media", HeldObject(api_version, kind, name), manifest)


def test_manifests_are_the_same_bytes_whatever_order_they_come_in() -> None:
    objects = [declared("Service", "b"), declared("Service", "a"), declared("Secret", "s")]

    first, second = render(objects, with_secrets=False), render(objects[::-1], with_secrets=False)

    assert first == second
    assert [m.path for m in first.manifests] == ["files/service-a.yaml", "files/service-b.yaml"]
    assert first.manifests[0].text == (
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n  namespace: files\n"
        "spec:\n  a:\n  - c: 2\n    d: 1\n  b: 1\n"
    )
    assert first.left_out == ("Secret s",)


def test_kinds_of_two_groups_do_not_share_a_file() -> None:
    objects = [
        declared("Certificate", "a", "cert-manager.io/v1"),
        declared("Certificate", "a", "other.io/v1"),
    ]

    paths = [manifest.path for manifest in render(objects, with_secrets=False).manifests]

    assert paths == ["files/certificate.cert-manager.io-a.yaml", "files/certificate.other.io-a.yaml"]


def test_a_folder_of_another_stack_and_a_broken_marker_are_left_alone(tmp_path: Path) -> None:
    write_folder(tmp_path / "it", "prod", [Manifest("files/a.yaml", "a: 1\n")], RenderedMemory())

    with pytest.raises(FolderRefusedError, match="holds the manifests of stack prod"):
        write_folder(tmp_path / "it", "lab", [], RenderedMemory())
    broken_memory = {"stack": "prod", "files": [], "rendered": {"servers": {"media": {"namespace": 1}}}}
    outside = {"stack": "prod", "files": ["../b.yaml"], "rendered": {}}
    # Without its memory, an outage would pass for a server without adapters.
    forgetful = {"stack": "prod", "files": ["files/a.yaml"]}
    for broken in ("{", "[]", *map(json.dumps, (outside, broken_memory, forgetful))):
        (tmp_path / "it" / MARKER).write_text(broken)
        with pytest.raises(FolderRefusedError):
            write_folder(tmp_path / "it", "prod", [], RenderedMemory())
    assert (tmp_path / "it" / "files" / "a.yaml").exists()


def test_a_foreign_file_in_the_way_stops_it(tmp_path: Path) -> None:
    write_folder(tmp_path, "prod", [], RenderedMemory())
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.yaml").write_text("mine")

    with pytest.raises(FolderRefusedError, match="exists and was not made by"):
        write_folder(tmp_path, "prod", [Manifest("files/a.yaml", "a: 1\n")], RenderedMemory())
    assert (tmp_path / "files" / "a.yaml").read_text() == "mine"


def test_adopting_says_so_for_chosen_servers_and_leaves_the_rest() -> None:
    document = {
        "encryptionsalt": "v1:x",
        "config": {
            "dittoinfra:servers": [{"name": "media", "labels": {"a": "b"}}, {"name": "archive"}],
            "dittoinfra:passwords": {"media": {"secure": "v1:y"}},
        },
    }

    changed = with_adoption(document, ["archive"])

    assert changed["config"]["dittoinfra:servers"] == [
        {"name": "media", "labels": {"a": "b"}},
        {"name": "archive", "adopt": True},
    ]
    assert changed["config"]["dittoinfra:passwords"] == {"media": {"secure": "v1:y"}}
    assert changed["encryptionsalt"] == "v1:x"
    assert all(server["adopt"] for server in with_adoption(document, [])["config"]["dittoinfra:servers"])


def test_what_is_no_server_stays_for_the_run_to_refuse() -> None:
    listed = ["home", {"name": "media"}, None]

    changed = with_adoption({"config": {"dittoinfra:servers": listed}}, [])

    assert changed["config"]["dittoinfra:servers"] == ["home", {"name": "media", "adopt": True}, None]


@pytest.mark.parametrize("document", [{}, {"config": None}, {"config": {"dittoinfra:servers": []}}])
def test_where_there_is_no_server_there_is_nothing_to_adopt(document: dict[str, Any]) -> None:
    with pytest.raises(AdoptionRefusedError, match="no server is in dittoinfra:servers"):
        with_adoption(document, [])


def test_a_secret_that_others_may_read_is_made_its_owner_s_again(tmp_path: Path) -> None:
    secret = Manifest("files/secret-a.yaml", "kind: Secret\n", secret=True)
    write_folder(tmp_path, "prod", [secret], RenderedMemory())
    (tmp_path / secret.path).chmod(0o644)  # as a checkout leaves it

    done = write_folder(tmp_path, "prod", [secret], RenderedMemory())

    assert done == {secret.path: "unchanged"}
    assert (tmp_path / secret.path).stat().st_mode & 0o777 == 0o600


def test_the_folder_remembers_servers_and_adapters_byte_for_byte(tmp_path: Path) -> None:
    rendered = RenderedMemory(
        servers={"media": RememberedServer("files", {"tier": "cold"}, absences=1)},
        adapters={"media": {"smb": RememberedAdapter("smb", 12445, absences=2)}},
    )
    write_folder(tmp_path, "prod", [], rendered)
    text = (tmp_path / MARKER).read_text()

    marker = read_marker(tmp_path, "prod")
    write_folder(tmp_path, "prod", [], rendered)

    assert marker is not None
    assert marker.rendered == rendered
    assert (tmp_path / MARKER).read_text() == text


def test_what_a_broken_off_rendering_has_begun_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = RenderedMemory(servers={"old": RememberedServer("files")})
    write_folder(tmp_path, "prod", [Manifest("files/old.yaml", "a: 1\n")], before)

    def broken_off(path: Path, text: str, *, private: bool = False) -> None:
        if path.name != MARKER:
            raise KeyboardInterrupt
        write_over(path, text, private=private)

    monkeypatch.setattr(manifests, "write_over", broken_off)
    now = RenderedMemory(servers={"new": RememberedServer("files")})
    with pytest.raises(KeyboardInterrupt):
        write_folder(tmp_path, "prod", [Manifest("files/new.yaml", "a: 1\n")], now)

    marker = read_marker(tmp_path, "prod")
    assert marker is not None
    assert set(marker.rendered.servers) == {"old", "new"}
    assert set(marker.files) == {"files/new.yaml", "files/old.yaml"}
