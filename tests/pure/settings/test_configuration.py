"""A stack's whole configuration as data: what is in it, where it came from, what its digests tell."""

import json
from pathlib import Path

import pytest

from dittoinfra.settings import ConfigurationError
from dittoinfra.settings.configuration import Configuration
from dittoinfra.settings.problems import path_of
from dittoinfra.settings.provider import NEEDED
from lab.bed.credentials import credential

SERVERS = json.dumps([{"name": "media", "namespace": "files"}])
NOWHERE = Path("/nonexistent")
"""A folder without a project."""
PROVIDER = {f"kubernetes:{name}": "true" for name in NEEDED}


def configuration(
    root: Path = Path(),
    *,
    project: str = "dittoinfra",
    encrypted: frozenset[str] = frozenset(),
    **values: str,
) -> Configuration:
    ours = {f"dittoinfra:{key}": value for key, value in values.items()}
    return Configuration(project, "prod", root, {**PROVIDER, **ours}, encrypted)


@pytest.mark.parametrize("project", ["dittoinfra", "files"])
def test_settings_have_one_namespace_in_a_project_of_any_name(project: str) -> None:
    found = configuration(project=project, servers=SERVERS).settings()

    assert [server.name for server in found.servers] == ["media"]


def test_settings_under_the_name_of_the_project_are_refused_and_not_ignored() -> None:
    values = {**PROVIDER, "files:servers": SERVERS, "files:namespace": "files", "files:owner": "storage"}

    with pytest.raises(ConfigurationError) as refused:
        Configuration("files", "prod", Path(), values, frozenset()).settings()

    assert [str(problem.path) for problem in refused.value.problems] == ["files:namespace", "files:servers"]
    assert "rename it to dittoinfra:servers" in str(refused.value)


def test_what_another_program_of_the_name_dittoinfra_has_is_nothing_to_refuse() -> None:
    values = {**PROVIDER, "dittoinfra:servers": SERVERS, "other:namespace": "files"}

    assert Configuration("dittoinfra", "prod", Path(), values, frozenset()).settings().servers


def test_what_the_provider_needs_is_part_of_being_valid() -> None:
    overridden = Configuration(
        "dittoinfra", "prod", NOWHERE, {**PROVIDER, "kubernetes:enablePatchForce": "false"}, frozenset()
    )

    with pytest.raises(ConfigurationError) as refused:
        overridden.settings()
    [problem] = refused.value.problems
    assert str(problem).startswith("kubernetes:enablePatchForce: is 'false' and must be")


def test_problems_of_every_kind_are_told_at_once_with_their_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: renamed\nconfig:\n  dittoinfra:absencePolls: 0\n")
    (tmp_path / "Pulumi.prod.yaml").write_text(
        "config:\n"
        "  kubernetes:contxt: prod\n"
        "  dittoinfra:servers:\n"
        "    - name: media\n"
        "      api:\n"
        "        ulr: https://media\n"
        "    - labels:\n"
        '        "example.com/team": [a]\n'
        "  dittoinfra:passwords:\n"
        "    media:\n"
        "      secure: v1:abc\n"
    )
    servers = [{"name": "media", "api": {"ulr": "https://media"}}, {"labels": {"example.com/team": ["a"]}}]
    values = {
        "kubernetes:contxt": "prod",
        "dittoinfra:servers": json.dumps(servers),
        "dittoinfra:absencePolls": "0",
    }
    wrong = Configuration("renamed", "prod", tmp_path, {**PROVIDER, **values}, frozenset())

    with pytest.raises(ConfigurationError) as refused:
        wrong.settings()

    assert str(refused.value).splitlines() == [
        "Pulumi.yaml:3: dittoinfra:absencePolls: must be greater than or equal to 1 (it is 0)",
        "Pulumi.prod.yaml:6: dittoinfra:servers[0].api.ulr: is not a known key; did you mean 'url'?",
        "Pulumi.prod.yaml:8: dittoinfra:servers[1].labels.example.com/team: must be a valid string",
        "Pulumi.prod.yaml:7: dittoinfra:servers[1].name: is required",
        "Pulumi.prod.yaml:2: kubernetes:contxt: is not a setting; did you mean 'kubernetes:context'?",
    ]
    assert wrong.place(path_of(("passwords", "media"))) == "Pulumi.prod.yaml:10"
    assert wrong.place(path_of(("removal",))) is None


def test_a_stack_without_servers_may_say_that_it_has_none(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: dittoinfra\n")
    file = tmp_path / "Pulumi.prod.yaml"
    found = configuration(tmp_path)

    file.write_text("config:\n  dittoinfra:servers: []\n")
    said = found.source_without_servers(found.settings())
    file.write_text("config:\n  dittoinfra:namespace: files\n")
    unsaid = found.source_without_servers(found.settings())

    assert said is not None
    assert unsaid is not None
    assert (said.intended, unsaid.intended) == (True, False)


def test_a_stacks_own_settings_are_without_the_projects_defaults() -> None:
    values = {"dittoinfra:absencePolls": "5", "dittoinfra:servers": SERVERS}
    inherited = Configuration(
        "dittoinfra", "prod", Path(), values, frozenset(), frozenset({"dittoinfra:absencePolls"})
    )

    assert "absence_polls" not in inherited.own_settings().model_fields_set


def test_the_cluster_is_the_providers() -> None:
    values = {"kubernetes:kubeconfig": "/kube", "kubernetes:context": "prod"}
    named = Configuration("dittoinfra", "prod", Path(), values, frozenset())
    unnamed = Configuration("dittoinfra", "prod", Path(), {}, frozenset())

    assert (named.kubeconfig({"KUBECONFIG": "/other"}), named.context) == ("/kube", "prod")
    assert (unnamed.kubeconfig({"KUBECONFIG": "/other"}), unnamed.context) == ("/other", None)
    assert named.provider == {"kubeconfig": "/kube", "context": "prod"}
    assert named.manifests is None


def test_where_servers_were_looked_for_in_vain(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: renamed\nstackConfigDir: stacks\n")
    values = {**PROVIDER, "infra:servers": SERVERS}
    lost = Configuration("renamed", "prod", tmp_path, values, frozenset())

    source = lost.source_without_servers(lost.settings())

    assert source is not None
    assert not source.exists
    assert source.file == str(tmp_path / "stacks" / "Pulumi.prod.yaml")
    assert source.elsewhere == ("infra:servers",)


def test_a_program_beside_no_project_says_where_it_looked(tmp_path: Path) -> None:
    found = configuration(tmp_path)

    source = found.source_without_servers(found.settings())

    assert source is not None
    assert source.file == str(tmp_path / "Pulumi.prod.yaml")


def test_a_configuration_with_servers_is_not_lost() -> None:
    found = configuration(servers=SERVERS)

    assert found.source_without_servers(found.settings()) is None


@pytest.mark.parametrize("salt", [None, b"0123456789abcdef"])
def test_digests_tell_values_apart_and_not_how_they_are_written(salt: bytes | None) -> None:
    loose = json.dumps(json.loads(SERVERS), indent=2)

    def digests(servers: str, note: str) -> dict[str, str]:
        return dict(configuration(servers=servers, note=note).digests(salt))

    assert digests(SERVERS, "not JSON") == digests(loose, "not JSON")
    assert digests(SERVERS, "a")["dittoinfra:note"] != digests(SERVERS, "b")["dittoinfra:note"]


def test_digests_in_a_file_do_not_give_a_password_away() -> None:
    password = credential("password")
    secret = json.dumps({"media": password})
    key = "dittoinfra:passwords"

    one, other = (
        configuration(encrypted=frozenset({key}), passwords=secret).digests(salt)[key]
        for salt in (b"1" * 16, b"2" * 16)
    )

    # A digest that anybody could compute from the password alone would be the same in every file.
    assert one != other


def test_messages_name_the_file_and_the_line_of_a_setting(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: files\nruntime: python\n")
    (tmp_path / "Pulumi.prod.yaml").write_text("config:\n  dittoinfra:passwords:\n    media: long\n")
    words = configuration(tmp_path, servers=SERVERS).words

    assert words.place(path_of(("passwords", "media"))) == "Pulumi.prod.yaml:3"
