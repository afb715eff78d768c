"""Ports that another project writes down for a Service: what they lead to, and what is wrong with them."""

import pytest
from pydantic import TypeAdapter, ValidationError

from dittoinfra.decide.exposure import ServicePort
from dittoinfra.settings.problems import argument_problems

NO_TARGET = (
    "must be a port's number, or its name: at most 15 lower-case letters, digits and single '-' "
    "between them, with a letter"
)


def test_a_named_port_leads_to_the_container_port_of_its_own_name() -> None:
    assert ServicePort.named("memcached", 11211) == ServicePort("memcached", 11211, "memcached", "TCP")
    assert ServicePort.named("dns", 53, "UDP") == ServicePort("dns", 53, "dns", "UDP")


@pytest.mark.parametrize("target", [1, 65535, "a", "a-0", "n" * 15])
def test_a_target_is_a_number_or_a_name(target: int | str) -> None:
    assert _problems(name="a", port=1, target=target, protocol="TCP") == []


@pytest.mark.parametrize("target", [0, 65536, "", "11211", "a--b", "-a", "A", "n" * 16])
def test_a_target_that_is_neither_is_refused(target: int | str) -> None:
    assert _problems(name="a", port=1, target=target, protocol="TCP") == [
        f"Service a: target: {NO_TARGET} (it is {target!r})"
    ]


def test_everything_that_is_wrong_is_told_at_once() -> None:
    assert _problems(name="my_port", port=0, target="a", protocol="SCTP") == [
        "Service a: name: must be lower-case letters, digits and '-' between them (it is 'my_port')",
        "Service a: port: must be greater than or equal to 1 (it is 0)",
        "Service a: protocol: must be 'TCP' or 'UDP' (it is 'SCTP')",
    ]


def _problems(**port: object) -> list[str]:
    try:
        TypeAdapter(ServicePort).validate_python(port)
    except ValidationError as error:
        return [str(problem) for problem in argument_problems(error, "Service a")]
    return []
