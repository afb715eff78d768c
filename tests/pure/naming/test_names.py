"""Names that Kubernetes takes, for whatever a server and an adapter type are called."""

import re
from hashlib import sha256

import pytest
from hypothesis import given
from pydantic import TypeAdapter

from dittoinfra import naming
from dittoinfra.settings.base import AdapterType, ServerName
from tests.pure.naming.kubernetes import is_dns_1035_label, is_iana_service_name, is_label_value
from tests.pure.naming.strategies import SERVERS, TYPES, unhurried


@unhurried
@given(SERVERS, TYPES)
def test_what_these_tests_draw_is_what_the_configuration_takes(server: str, adapter_type: str) -> None:
    assert TypeAdapter(ServerName).validate_python(server) == server
    assert TypeAdapter(AdapterType).validate_python(adapter_type) == adapter_type


@unhurried
@given(SERVERS, TYPES)
def test_service_names_are_valid_and_stable(server: str, adapter_type: str) -> None:
    for name in (naming.adapter_service, naming.adapter_udp_service):
        assert is_dns_1035_label(name(server, adapter_type))
        assert name(server, adapter_type) == name(server, adapter_type)
    assert naming.adapter_service(server, adapter_type) != naming.adapter_udp_service(server, adapter_type)


@unhurried
@given(SERVERS)
def test_names_of_a_servers_own_objects_are_valid(server: str) -> None:
    assert is_dns_1035_label(naming.headless_service(server))
    # These are no Services: Secrets and ConfigMaps take four times the length.
    for name in (naming.config_map(server), naming.jwt_secret(server), naming.admin_secret(server)):
        assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", name)
        assert len(name) <= 253


@unhurried
@given(TYPES)
def test_port_names_are_valid_and_stable(adapter_type: str) -> None:
    for text in (f"adapter-{adapter_type}", f"adapter-{adapter_type}-udp"):
        assert is_iana_service_name(naming.port_name(text))
        assert naming.port_name(text) == naming.port_name(text)


@unhurried
@given(SERVERS, TYPES)
def test_labels_are_valid(server: str, adapter_type: str) -> None:
    labels = naming.adapter_labels(server, adapter_type, naming.ADAPTER_SERVICE_LABEL, {})

    assert [value for value in labels.values() if not is_label_value(value)] == []


def test_the_names_that_people_have_in_their_clusters() -> None:
    assert naming.adapter_service("media", "nfs") == "media-adapter-nfs"
    assert naming.headless_service("media") == "media-headless"
    assert naming.config_map("media") == "media-config"
    assert naming.jwt_secret("media") == "media-jwt-secret"
    assert naming.admin_secret("media") == "media-admin-bootstrap-credentials"
    assert naming.selector("media") == {"app": "dittofs-server", "instance": "media"}


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("nfs", "nfs"),
        ("NFS", "nfs"),
        ("nfs.v4_1", "nfs-v4-1"),
        ("--a..b__c--", "a-b-c"),
        ("naïve", "na-ve"),
    ],
)
def test_a_type_becomes_a_part_of_a_name(text: str, clean: str) -> None:
    assert naming.sanitize(text) == clean


def test_a_name_of_63_characters_is_left_whole() -> None:
    server = "s" * 52

    assert naming.adapter_service(server, "ab") == f"{server}-adapter-ab"


def test_a_longer_name_is_cut_and_carries_a_hash_of_the_whole() -> None:
    server = "s" * 52
    whole = f"{server}-adapter-abc"

    name = naming.adapter_service(server, "abc")

    assert name == f"{server}-a-{sha256(whole.encode()).hexdigest()[:8]}"
    assert len(name) == 63


def test_a_longer_name_of_a_udp_service_is_cut_in_the_same_way() -> None:
    whole = f"{'s' * 52}-adapter-nfs-udp"

    assert naming.adapter_udp_service("s" * 52, "nfs") == f"{whole[:54]}-{_digits(whole, 8)}"


def test_two_long_names_that_differ_at_the_end_stay_two() -> None:
    server = "s" * 52

    names = {naming.adapter_service(server, f"type-{number}") for number in range(1000)}

    assert len(names) == 1000


def test_a_cut_never_leaves_two_dashes_in_a_row() -> None:
    assert naming.adapter_service("s" * 53, "abc") == f"{'s' * 53}-{_digits('s' * 53 + '-adapter-abc', 8)}"
    assert naming.port_name("adapter-x-something") == f"adapter-x-{_digits('adapter-x-something', 4)}"


@pytest.mark.parametrize("text", ["adapter-nfs", "adapter-nfs-udp", "adapter-wsdmeta"])
def test_a_port_name_of_up_to_15_characters_is_left_whole(text: str) -> None:
    assert naming.port_name(text) == text


@pytest.mark.parametrize("text", ["adapter-longtype", "adapter-webdav-udp", "adapter-object-gateway"])
def test_a_longer_port_name_is_cut_as_the_operator_cuts_it(text: str) -> None:
    assert naming.port_name(text) == f"{text[:10]}-{_digits(text, 4)}"


def _digits(text: str, count: int) -> str:
    return sha256(text.encode()).hexdigest()[:count]
