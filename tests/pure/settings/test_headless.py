"""What a program writes down for a headless Service, and what is wrong with it."""

import pytest
from pydantic import ValidationError

from dittoinfra.settings.headless_settings import HeadlessSettings
from dittoinfra.settings.problems import problems_of

PORT = {"name": "a", "port": 1}
NO_TARGET = (
    "must be a port's number, or its name: at most 15 lower-case letters, digits and single '-' "
    "between them, with a letter"
)
UNKNOWN = object()


def _problems(*ports: object, **settings: object) -> list[str]:
    try:
        HeadlessSettings.model_validate(
            {"app": "memcached", "ports": [*ports], **settings}, by_alias=True, by_name=True
        )
    except ValidationError as error:
        found = problems_of(error, HeadlessSettings, hidden=(), is_known=lambda value: value is not UNKNOWN)
        return [str(problem).removeprefix("dittoinfra:") for problem in found]
    return []


@pytest.mark.parametrize("target", [1, 65535, "a", "a-0", "n" * 15])
def test_a_target_is_a_number_or_a_name(target: int | str) -> None:
    assert _problems({**PORT, "target": target}) == []


@pytest.mark.parametrize("target", [0, 65536, "", "11211", "a--b", "-a", "A", "n" * 16])
def test_a_target_that_is_neither_is_refused(target: int | str) -> None:
    assert _problems({**PORT, "target": target}) == [f"ports[0].target: {NO_TARGET} (it is {target!r})"]


def test_ports_differ_by_name_and_by_number_and_protocol() -> None:
    assert _problems(PORT, {**PORT, "name": "b", "protocol": "UDP"}) == []
    assert _problems(PORT, {**PORT, "port": 2}) == ["ports: must have a name of its own for each port"]
    assert _problems(PORT, {**PORT, "name": "b"}) == ["ports: must have each number once for each protocol"]


def test_everything_that_is_wrong_is_told_at_once() -> None:
    assert _problems({"name": "my_port", "port": 0, "protocol": "SCTP"}, instanc="x", managed_by=3) == [
        "managed_by: must be text: write it in quotes (it is 3)",
        "ports[0].name: must be lower-case letters, digits and '-' between them (it is 'my_port')",
        "ports[0].port: must be greater than or equal to 1 (it is 0)",
        "ports[0].protocol: must be 'TCP' or 'UDP' (it is 'SCTP')",
        "instanc: is not a known key; did you mean 'instance'?",
    ]


def test_what_is_not_known_yet_is_no_problem_and_what_is_missing_is_one() -> None:
    assert _problems({"name": "a", "port": UNKNOWN}, namespace=UNKNOWN, annotations={"a": UNKNOWN}) == []
    assert _problems({"name": "a"}, namespace=UNKNOWN) == ["ports[0].port: is required"]
