"""A kubeconfig that cannot be used: said so, and never quoted."""

import base64
from pathlib import Path

import pytest

from dittoinfra.kubernetes import ClusterError
from dittoinfra.kubernetes.credentials import kubeconfig_source, read_kubeconfigs
from lab.bed.credentials import credential

TOKEN = credential("token")
CONTENT = f"apiVersion: v1\nclusters: []\nusers: [{{name: me, user: {{token: {TOKEN}}}}}]\n"
ENCODED = base64.b64encode(CONTENT.encode()).decode()


@pytest.mark.parametrize(
    ("setting", "cause"),
    [
        (ENCODED, "the kubeconfig is base64; "),
        (base64.encodebytes(CONTENT.encode()).decode(), "the kubeconfig is base64; "),
        (ENCODED[:-3], "kubeconfig is not a file; "),
        (ENCODED * 30 + "!", "kubeconfig is not a file; "),
        (f"token: {TOKEN}", "kubeconfig is not a file; "),
        (f"{{token: {TOKEN}", "kubeconfig content is not YAML (line 1); "),
        (f"token: {TOKEN}\n", "kubeconfig content has no clusters; "),
    ],
    ids=["base64", "wrapped base64", "cut off", "longer than a path", "one line", "broken", "no kubeconfig"],
)
def test_content_is_never_quoted(setting: str, cause: str) -> None:
    with pytest.raises(ClusterError) as refused:
        kubeconfig_source(setting)

    said = str(refused.value)
    assert said.startswith(cause)
    assert said.endswith("kubernetes:kubeconfig (or KUBECONFIG)")
    assert TOKEN not in said
    assert ENCODED[:20] not in said


@pytest.mark.parametrize("path", ["/no/such/file", "~/no/such/file", "./no-such-file:/nor/this"])
def test_a_path_is_named(path: str) -> None:
    with pytest.raises(ClusterError, match=rf"^kubeconfig {path} is not a file; "):
        kubeconfig_source(path)


def test_files_and_content_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "kubeconfig"
    file.write_text(CONTENT)

    assert kubeconfig_source(str(file)) == str(file)
    parsed = kubeconfig_source(CONTENT)
    assert isinstance(parsed, dict)
    assert parsed["users"][0]["user"]["token"] == TOKEN


def test_files_that_providers_name_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / "kubeconfig"
    file.write_text(CONTENT)
    (tmp_path / "latin").write_bytes(b"name: caf\xe9")
    unusable = [
        str(tmp_path),
        str(tmp_path / "latin"),
        "~nobody-here/config",
        ENCODED * 30,
        "",
        "no-such-file",
    ]

    read = read_kubeconfigs(
        [{"kubeconfig": this} for this in (str(file), "~/kubeconfig", CONTENT, *unusable)]
    )

    assert read == {str(file): CONTENT, "~/kubeconfig": CONTENT, **dict.fromkeys(unusable, "")}
