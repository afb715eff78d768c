"""An editor that knows the schema completes what is right and marks what is wrong."""

from typing import Any

import pytest
from jsonschema import Draft7Validator

from tests.repository.reference.project import parsed
from tools.reference.schema import stack_schema


def _complaints(text: str) -> list[str]:
    validator = Draft7Validator(stack_schema())
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(parsed(text))]


def _setting(key: str) -> dict[str, Any]:
    found: dict[str, Any] = stack_schema()["properties"]["config"]["properties"][f"dittoinfra:{key}"]
    return found


def test_it_is_a_valid_schema() -> None:
    Draft7Validator.check_schema(stack_schema())


@pytest.mark.parametrize(
    "text",
    [
        "config: {'dittoinfra:absencePolls': 5}",
        "config: {'dittoinfra:absencePolls': '5'}",
        "config: {'kubernetes:context': dev, 'aws:region': eu-central-1}",
        "config: {'dittoinfra:servers': [{name: media, deploy: {}}]}",
        "config: {'dittoinfra:passwords': {media: {secure: 'v1:x'}, '*': {secure: 'v1:y'}}}",
        "config: {'dittoinfra:passwords': {secure: 'v1:x'}}",
        "config: {'dittoinfra:serverSecrets': {media: {jwt: {secure: 'v1:x'}}}}",
        "config: {'dittoinfra:serverSecrets': {secure: 'v1:x'}}",
        "config: {'dittoinfra:api': {username: {secure: 'v1:x'}, deadline: 1.5s}}",
        "{encryptionsalt: 'v1:x', secretsprovider: passphrase, encryptedkey: x, environment: [prod]}",
    ],
)
def test_right_files_pass(text: str) -> None:
    assert _complaints(text) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("config: {'dittoinfra:absencePoll': 5}", "absencePoll"),
        ("config: {absencePolls: 5}", "absencePolls"),
        ("config: {'dittoinfra:absencePolls': many}", "absencePolls"),
        ("config: {'dittoinfra:absencePolls': 0}", "absencePolls"),
        ("config: {'dittoinfra:pollInterval': 10}", "pollInterval"),
        ("config: {'dittoinfra:pollInterval': 10 seconds}", "pollInterval"),
        ("config: {'dittoinfra:removal': always}", "removal"),
        ("config: {'dittoinfra:servers': [{name: media, namspace: x}]}", "namspace"),
        ("config: {'dittoinfra:servers': [{namespace: x}]}", "'name' is a required property"),
        ("config: {'dittoinfra:servers': [{name: media, deploy: }]}", "deploy"),
        ("config: {'dittoinfra:servers': [{name: media, deploy: {api: {port: 70000}}}]}", "port"),
        ("config: {'dittoinfra:adapters': {types: {nfs: {servicePorts: 2049}}}}", "servicePorts"),
        ("config: {'dittoinfra:adapters': {types: {'n f s': {}}}}", "n f s"),
        ("config: {'dittoinfra:adapters': {pinned: [{type: nfs}]}}", "'port' is a required property"),
        ("config: {'dittoinfra:passwords': {media: hunter2}}", "passwords"),
        ("config: {'dittoinfra:serverSecrets': {media: {jwt: hunter2}}}", "serverSecrets"),
        ("config: {'dittoinfra:serverSecrets': {media: {jtw: {secure: 'v1:x'}}}}", "serverSecrets"),
        ("config: {'dittoinfra:passwords': {a: {secure: 'v1:x'}, b: hunter2}}", "passwords"),
        ("configs: {}", "configs"),
    ],
)
def test_wrong_files_are_marked_where_they_are_wrong(text: str, place: str) -> None:
    complaints = _complaints(text)

    assert len(complaints) == 1
    assert place in complaints[0]


def test_defaults_are_shown_as_people_write_them() -> None:
    assert _setting("pollInterval")["default"] == "10s"
    assert _setting("absencePolls")["default"] == 3
    assert stack_schema()["$defs"]["ApiSettings"]["properties"]["deadline"]["default"] == "20s"


def test_what_is_unset_by_default_shows_no_default() -> None:
    url = stack_schema()["$defs"]["ApiSettings"]["properties"]["url"]

    assert "default" not in url


def test_every_property_is_described() -> None:
    definitions = stack_schema()["$defs"]
    config = stack_schema()["properties"]["config"]["properties"]
    inside = {
        f"{n}.{k}": v for n, d in definitions.items() if n != "Ciphertext" for k, v in d["properties"].items()
    }

    assert [name for name, value in (config | inside).items() if not value.get("description")] == []
