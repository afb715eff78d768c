"""The state's fingerprints: they move when it moves, and give nothing away."""

import hashlib
from typing import Any

from dittoinfra.state.memory import fingerprints

SERVICE = "urn:pulumi:prod::dittoinfra::dittoinfra:index:Server$kubernetes:core/v1:Service::media"
SECRET = "urn:pulumi:prod::dittoinfra::dittoinfra:index:Server$kubernetes:core/v1:Secret::media"
PROVIDER = "urn:pulumi:prod::dittoinfra::pulumi:providers:kubernetes::default"


def _of(urn: str, outputs: dict[str, Any] | None) -> str | None:
    return fingerprints({urn: {"outputs": outputs}}).get(urn)


def test_a_resource_has_another_fingerprint_when_anything_of_it_changes() -> None:
    before = _of(SERVICE, {"spec": {"ports": [{"port": 2049.0}]}})

    assert before == _of(SERVICE, {"spec": {"ports": [{"port": 2049.0}]}})
    assert before != _of(SERVICE, {"spec": {"ports": [{"port": 445.0}]}})
    assert before != _of(SERVICE, None)


def test_the_order_of_keys_means_nothing() -> None:
    assert _of(SERVICE, {"a": 1, "b": 2}) == _of(SERVICE, {"b": 2, "a": 1})


def test_of_a_secret_only_what_is_no_secret_counts() -> None:
    named = {"metadata": {"name": "media", "resourceVersion": "7"}}

    assert _of(SECRET, {**named, "data": {"password": "a"}}) == _of(
        SECRET, {**named, "data": {"password": "b"}}
    )
    assert _of(SECRET, named) != _of(SECRET, {"metadata": {"name": "media", "resourceVersion": "8"}})


def test_a_provider_which_holds_credentials_has_none() -> None:
    assert fingerprints({PROVIDER: {"outputs": {"kubeconfig": "a token"}}}) == {}


def test_the_stack_which_every_run_registers_before_it_can_look_has_none() -> None:
    stack = "urn:pulumi:prod::dittoinfra::pulumi:pulumi:Stack::dittoinfra-prod"

    assert fingerprints({stack: {"outputs": {"servers": {}}}}) == {}


def test_a_fingerprint_is_a_digest() -> None:
    assert len(_of(SERVICE, {}) or "") == hashlib.sha256().digest_size * 2
