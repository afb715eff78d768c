"""Names in the engine's state, from which the next run reads which adapters there are."""

import pytest
from hypothesis import given

from dittoinfra import naming
from tests.pure.naming.strategies import SERVERS, TYPES, unhurried


@unhurried
@given(SERVERS, TYPES)
def test_an_adapters_name_leads_back_to_its_server_and_type(server: str, adapter_type: str) -> None:
    assert naming.parse_adapter_resource(naming.adapter_resource(server, adapter_type)) == (
        server,
        adapter_type,
    )


@unhurried
@given(SERVERS, TYPES)
def test_a_split_off_udp_service_is_never_taken_for_an_adapter(server: str, adapter_type: str) -> None:
    udp = naming.udp_resource(naming.adapter_resource(server, adapter_type))

    assert naming.parse_adapter_resource(udp) is None


def test_a_server_ends_at_the_first_slash() -> None:
    assert naming.parse_adapter_resource("media/a/b") == ("media", "a/b")


@pytest.mark.parametrize("name", ["media", "media-headless", ""])
def test_the_name_of_anything_else_is_no_adapters(name: str) -> None:
    assert naming.parse_adapter_resource(name) is None


def test_a_containers_port_is_told_by_name_number_and_protocol() -> None:
    assert naming.port_text("adapter-nfs", 12049, "TCP") == "adapter-nfs=12049/TCP"
