"""Names in the configuration: what a template, or an address may be, and which layer wins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dittoinfra.settings import DnsSettings, effective_servers, service_settings
from dittoinfra.settings.base import filled
from tests.pure.settings.reading import problems, read

PLACE = "dittoinfra:adapters.service.dns"


def dns(**settings: object) -> DnsSettings:
    found = read(adapters={"service": {"dns": settings}}).adapters.service.dns
    assert found is not None
    return found


def refused(**settings: object) -> list[str]:
    return problems(adapters={"service": {"dns": settings}})


def test_a_template_is_filled_with_what_belongs_to_the_adapter() -> None:
    values = {"server": "media", "type": "nfs", "namespace": "files"}

    assert filled("{type}.{server}.{namespace}.x-{type}", values) == "nfs.media.files.x-nfs"


@pytest.mark.parametrize("template", ["{host}", "{}", "{ server}", "{Server}", "{server!r}", "{type:>3}"])
@pytest.mark.parametrize("key", ["hostname", "aliases"])
def test_an_unknown_placeholder_is_refused(key: str, template: str) -> None:
    written = f"{template}.example.com"

    [line] = refused(**{key: written if key == "hostname" else [written]})

    assert line.startswith(f"{PLACE}.{key}")
    assert (
        f"InvalidHostname: {template} is no placeholder; known are {{server}}, {{type}}, {{namespace}}"
        in line
    )


@pytest.mark.parametrize("template", ["{server", "server}", "{{server}}", "}{"])
def test_a_brace_without_its_other_half_is_refused(template: str) -> None:
    [line] = refused(hostname=template)

    assert "InvalidHostname: has a brace without its other half" in line


@pytest.mark.parametrize(
    ("written", "read_as"),
    [("192.0.2.10", "192.0.2.10"), ("2001:DB8:0::10", "2001:db8::10"), ("127.0.0.1", "127.0.0.1")],
)
def test_an_address_is_kept_in_its_shortest_form(written: str, read_as: str) -> None:
    assert dns(ip=written).ip == read_as


@pytest.mark.parametrize(
    "written",
    [
        "",
        "192.0.2",
        "192.0.2.300",
        "192.0.2.010",
        "host",
        "10.0.0.0/8",
        "fe80::1%eth0",
        "0.0.0.0",
        "::",
        "224.0.0.1",
    ],
)
def test_what_is_no_address_of_a_host_is_refused(written: str) -> None:
    [line] = refused(ip=written)

    assert line.startswith(f"{PLACE}.ip: InvalidIPAddress: must be the address of a host")


def test_tags_are_a_list() -> None:
    [line] = refused(tags=None)

    assert line.startswith(f"{PLACE}.tags: ")


def test_a_setting_of_earlier_versions_is_refused_with_the_reason() -> None:
    [line] = refused(gracePeriod="5m")

    why = "was removed: router-hosts does not read it, and deletes an entry at once; drop it"
    assert line == f"{PLACE}.gracePeriod: {why}"


@pytest.mark.parametrize("ttl", [0, 2**31, "60"])
def test_a_ttl_that_dns_does_not_know_is_refused(ttl: object) -> None:
    [line] = refused(ttl=ttl)

    assert line.startswith(f"{PLACE}.ttl: ")


@given(st.text(alphabet="{}serv", max_size=12))
def test_whatever_is_accepted_can_be_filled(template: str) -> None:
    try:
        accepted = DnsSettings(hostname=template)
    except ValueError:
        return
    text = filled(accepted.hostname or "", dict.fromkeys(("server", "type", "namespace"), "x"))
    assert not {"{", "}"} & set(text)


def test_the_nearest_layer_wins_key_by_key_and_null_takes_the_names_away() -> None:
    far = {"service": {"dns": {"hostname": "{type}.example.com", "aliases": ["far"], "ttl": 5}}}
    near = {
        "service": {"dns": {"aliases": ["near"]}},
        "types": {"nfs": {"dns": {"ttl": None}}, "smb": {"dns": None}},
    }
    [server] = effective_servers(read(adapters=far, servers=[{"name": "media", "adapters": near}]))

    assert service_settings(server, "nfs").dns == DnsSettings(hostname="{type}.example.com", aliases=["near"])
    assert service_settings(server, "smb").dns is None
    other = service_settings(server, "ftp").dns
    assert other is not None
    assert other.ttl == 5


@pytest.mark.parametrize("prefix", ["dns.example.com", "dns.example.com/", "custom"])
def test_a_prefix_is_taken_as_external_dns_takes_it(prefix: str) -> None:
    assert dns(annotationPrefix=prefix).annotation_prefix == prefix.removesuffix("/")


@pytest.mark.parametrize("prefix", ["", "/", "a//", "Dns.example", "a_b", ".example", "a/b", "a" * 254])
def test_what_cannot_be_before_a_slash_is_refused(prefix: str) -> None:
    [line] = refused(annotationPrefix=prefix)

    assert line.startswith(f"{PLACE}.annotationPrefix: must be the part of an annotation before its slash")
