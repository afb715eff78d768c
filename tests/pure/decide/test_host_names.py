"""Host names: RFC 1123 after IDNA, and a reason for everything else."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dittoinfra.decide.host_names import InvalidHostNameError, host_name
from tests.pure.naming.strategies import unhurried

LABEL = "a" * 63
RFC_1123 = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*")


@pytest.mark.parametrize(
    ("written", "known_as"),
    [
        ("nfs.media.example.com", "nfs.media.example.com"),
        ("media", "media"),
        ("NFS.Example.COM", "nfs.example.com"),
        ("3com.example", "3com.example"),
        ("r3---sn-x.example", "r3---sn-x.example"),
        ("Bücher.example", "xn--bcher-kva.example"),
        ("BU\u0308CHER.example", "xn--bcher-kva.example"),
        ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
        ("faß.example", "xn--fa-hia.example"),
        ("привет.рф", "xn--b1agh1afp.xn--p1ai"),
        ("files\u3002example\uff0ecom", "files.example.com"),
        ("\uff4e\uff46\uff53.example", "nfs.example"),
        (f"{LABEL}.example", f"{LABEL}.example"),
        (".".join([LABEL] * 3 + ["a" * 61]), ".".join([LABEL] * 3 + ["a" * 61])),
    ],
)
def test_a_name_becomes_what_dns_knows(written: str, known_as: str) -> None:
    assert host_name(written) == known_as


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("", "is empty"),
        ("example.com.", "ends in a dot"),
        (".", "ends in a dot"),
        ("a..b", "has nothing between two dots"),
        (".example.com", "has nothing between two dots"),
        ("*.example.com", "is a wildcard"),
        ("a.*.example.com", "has '*' in it"),
        ("under_score.example.com", "has 'under_score' in it"),
        ("-lead.example.com", "has '-lead' in it"),
        ("trail-.example.com", "has 'trail-' in it"),
        ("a b.example.com", "has 'a b' in it"),
        ("a,b.example.com", "has 'a,b' in it"),
        ("https://example.com", "has 'https://example' in it"),
        ("example.com:80", "has 'com:80' in it"),
        ("example.com\n", "has 'com\\n' in it"),
        ("192.0.2.1", "is an IP address"),
        ("2001:db8::1", "is an IP address"),
        ("10.1", "reads as an IP address"),
        ("0x7f.1", "reads as an IP address"),
        ("host.0xff", "reads as an IP address"),
        ("files.2049", "reads as an IP address"),
        ("\u2460.\u2461", "reads as an IP address"),
        (f"{LABEL}a.example", "has a part of 64 characters; 63 are allowed"),
        (f"{LABEL}ü.example", "is no internationalized name"),
        (".".join([LABEL] * 3 + ["a" * 62]), "has 254 characters; 253 are allowed"),
        ("☃.example", "is no internationalized name"),
        ("xn--zzzzzz99.example", "is no internationalized name"),
        ("a\u200db.example", "is no internationalized name"),
        ("\u0301a.example", "is no internationalized name"),
        ("a\ufffdb.example", "is no internationalized name"),
    ],
)
def test_everything_else_is_refused_with_its_reason(written: str, why: str) -> None:
    with pytest.raises(InvalidHostNameError) as refused:
        host_name(written)

    assert str(refused.value).startswith(why)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("written", "named"), [("☃.example", r"U\+2603"), ("a\ufffdb.example", r"U\+FFFD")])
def test_the_character_that_no_name_may_have_is_named(written: str, named: str) -> None:
    with pytest.raises(InvalidHostNameError, match=rf"^is no internationalized name: Codepoint {named} "):
        host_name(written)


@unhurried
@given(
    st.one_of(
        st.text(max_size=40),
        st.from_regex(r"[a-z0-9_.*ü-]{1,80}", fullmatch=True),
        st.lists(st.text(alphabet="ab1-é.", max_size=70), max_size=6).map(".".join),
    )
)
def test_whatever_is_accepted_is_a_name_of_rfc_1123_and_stays_itself(written: str) -> None:
    try:
        name = host_name(written)
    except InvalidHostNameError:
        return
    assert RFC_1123.fullmatch(name)
    assert len(name) <= 253
    assert not name.rpartition(".")[2].isdecimal()
    assert host_name(name) == name
    assert host_name(name.upper()) == name
