"""Which files may contain credentials: Secrets, keys, kubeconfigs, and files that a test declares."""

from pathlib import Path

import pytest

from lab.bed.credential_files import files, holds_credentials, may_hold_credentials, named_by_tests
from lab.bed.credentials import LEDGER

SECRET = "apiVersion: v1\nkind: Secret\ndata: {password: x}\n"
SERVICE = "apiVersion: v1\nkind: Service\n"
KUBECONFIG = "users: []\nclusters: []\ncontexts: []\ncurrent-context: bed\n"
PEM = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    ("name", "text", "meant"),
    [
        ("secret-media.yaml", SECRET, True),
        ("several.yaml", f"{SECRET}---\n{SECRET}", True),
        ("mixed.yaml", f"{SECRET}---\n{SERVICE}", False),
        ("plan", "plan: {kind: Secret}\n", False),
        ("service.yaml", SERVICE, False),
        ("broken.yaml", "kind: Secret\n  data", False),
        ("client.key", PEM, True),
        ("client.pem", f"{PEM}\n{PEM}", True),
        ("notes.pem", f"{PEM}password: x\n", False),
        ("client.log", PEM, False),
        ("restricted", KUBECONFIG, True),
        ("Pulumi.prod.yaml", "config: {kubernetes:kubeconfig: 'users: []'}", False),
        ("notes", f"{KUBECONFIG}password: x\n", False),
        ("tokens.csv", "token,admin", True),
    ],
)
def test_a_file_is_judged_by_what_it_is(tmp_path: Path, name: str, text: str, meant: bool) -> None:
    path = tmp_path / name
    path.write_text(text)

    assert may_hold_credentials(path, frozenset()) is meant


def test_a_place_that_a_test_has_named_is_meant_with_all_that_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = tmp_path / "ledger"
    monkeypatch.setenv(LEDGER, str(ledger))
    folder = tmp_path / "project" / "stacks"
    holds_credentials(folder, "a mistake")
    state = tmp_path / "project" / "state.json"
    state.parent.mkdir()
    state.write_text("{}")

    assert may_hold_credentials(folder / "Pulumi.prod.yaml", named_by_tests(ledger))
    assert not may_hold_credentials(state, named_by_tests(ledger))


def test_links_and_pipes_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "file")

    assert list(files(tmp_path)) == [tmp_path / "file"]
