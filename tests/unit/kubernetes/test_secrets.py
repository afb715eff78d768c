"""A login may be kept in a Kubernetes Secret, and nothing of it is ever told."""

import pytest

from dittoinfra.model import Answered, Denied, Outcome
from lab.bed.credentials import credential
from tests.unit.kubernetes.asking import PASSWORD, USERNAME, ask, inside, inside_server
from tests.unit.kubernetes.conftest import Inhabited

API = {"username": "somebody-else"}


def keep(inhabited: Inhabited, name: str, namespace: str | None = None, **data: str) -> None:
    secrets = f"/api/v1/namespaces/{namespace or inhabited.namespace}/secrets"
    with inhabited.cluster.client() as client:
        body = {"metadata": {"name": name}, "stringData": data}
        client.post(secrets, json=body).raise_for_status()


def ask_with(inhabited: Inhabited, secret: dict[str, str], username: str = USERNAME) -> Outcome:
    server = inside_server("media", inhabited.namespace, {"passwordSecret": secret, "username": username})
    # No other password is configured: it must be this one.
    return ask(inside(inhabited.kubeconfig), server, password=None)["media"]


def test_a_password_is_read_from_a_secret(inhabited: Inhabited) -> None:
    # With the line end that `kubectl create secret --from-file` brings along.
    keep(inhabited, "media-login", password=f"{PASSWORD}\n")

    assert isinstance(ask_with(inhabited, {"name": "{server}-login"}), Answered)


def test_the_users_name_and_the_namespace_may_be_there_too(inhabited: Inhabited) -> None:
    elsewhere = inhabited.cluster.namespace()
    keep(inhabited, "logins", elsewhere, user=USERNAME, secret=PASSWORD)
    secret = {"name": "logins", "namespace": elsewhere, "key": "secret", "usernameKey": "user"}

    assert isinstance(ask_with(inhabited, secret, username="somebody-else"), Answered)


def test_a_wrong_password_names_the_secret(inhabited: Inhabited) -> None:
    guess = credential("guess")
    keep(inhabited, "wrong-login", password=guess)

    outcome = ask_with(inhabited, {"name": "wrong-login"})

    assert isinstance(outcome, Denied)
    where = f"key password of Secret wrong-login in namespace {inhabited.namespace}"
    assert f"refused user '{USERNAME}' with the password from {where} (HTTP 401)" in outcome.why
    assert guess not in outcome.why


@pytest.mark.parametrize(
    ("name", "key", "trouble"),
    [
        ("nowhere", "password", "there is no Secret nowhere in namespace {namespace}; create it, or correct"),
        ("half", "pass", "there is no key pass of Secret half in namespace {namespace}; correct it, or"),
        ("half", "empty", "key empty of Secret half in namespace {namespace} is empty; correct it, or"),
    ],
)
def test_what_is_missing_is_named(name: str, key: str, trouble: str, inhabited: Inhabited) -> None:
    secrets = f"/api/v1/namespaces/{inhabited.namespace}/secrets"
    with inhabited.cluster.client() as client:
        client.post(secrets, json={"metadata": {"name": "half"}, "stringData": {"empty": "", "other": "x"}})

    outcome = ask_with(inhabited, {"name": name, "key": key})

    assert isinstance(outcome, Denied)
    assert outcome.why.startswith(trouble.format(namespace=inhabited.namespace))


def test_a_user_who_may_not_read_it_learns_the_verb(inhabited: Inhabited) -> None:
    keep(inhabited, "locked-login", password=PASSWORD)
    namespace = inhabited.namespace
    rules = (
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["pods/portforward"], "verbs": ["get", "create"]},
    )
    way = inside(inhabited.cluster.kubeconfig_with(namespace, *rules))

    outcome = ask(way, inside_server("media", namespace, {"passwordSecret": {"name": "locked-login"}}))

    denied = outcome["media"]
    assert isinstance(denied, Denied)
    assert f"may not get secrets in namespace {namespace}; " in denied.why
    [note] = way.notes()
    assert "- locked-login" in note.text
