"""Values that are refused on their own: durations, addresses, networks, keys and names."""

from datetime import timedelta

import pytest

from dittoinfra.settings.base import duration_text
from tests.pure.settings.reading import problems, read

A_DURATION = "must be a duration such as 500ms, 20s or 2m"
AN_ADDRESS = "must be an address such as https://dittofs.example.com:8080"
A_NETWORK = "must be a network such as 10.0.0.0/8, with no bits set behind its length"


@pytest.mark.parametrize("text", ["20", "", "20 s", "-1s", "1d", "s"])
def test_a_duration_without_number_and_unit_is_refused(text: str) -> None:
    assert problems(pollInterval=text) == [f"dittoinfra:pollInterval: {A_DURATION} (it is {text!r})"]


def test_a_duration_that_is_a_number_is_refused() -> None:
    assert problems(api={"deadline": 20}) == [f"dittoinfra:api.deadline: {A_DURATION} (it is 20)"]


@pytest.mark.parametrize("text", ["0s", "0ms", "61m", "1.1h"])
def test_a_duration_of_nothing_or_of_more_than_an_hour_is_refused(text: str) -> None:
    assert problems(pollInterval=text) == [
        f"dittoinfra:pollInterval: must be longer than nothing and at most 1h (it is {text!r})"
    ]


@pytest.mark.parametrize("text", ["99999999999999h", f"{'9' * 400}s"], ids=["ages", "more than a float"])
def test_a_duration_beyond_all_measure_is_refused(text: str) -> None:
    [line] = problems(pollInterval=text)

    assert line.startswith("dittoinfra:pollInterval: is too long (it ")


@pytest.mark.parametrize(
    "url",
    [
        "media:8080",
        "ftp://media",
        "https:media",
        "https:/media",
        "https:\\\\media",
        "https://",
        " https://media",
        "https://media ",
        "https://me\ndia",
        "https://me\tdia",
    ],
)
@pytest.mark.parametrize("key", ["url", "proxy"])
def test_what_is_not_written_as_an_address_is_refused(key: str, url: str) -> None:
    assert problems(api={key: url}) == [f"dittoinfra:api.{key}: {AN_ADDRESS} (it is {url!r})"]


@pytest.mark.parametrize("url", ["https://media:99999", "https://me^dia", "https://[::1"])
def test_an_address_that_leads_nowhere_is_refused(url: str) -> None:
    [line] = problems(api={"url": url})

    assert line.startswith("dittoinfra:api.url: must be a valid URL, ")


@pytest.mark.parametrize("url", ["HTTPS://media", "http://10.0.0.1:8080", "https://[fd00::1]/base"])
def test_an_address_stays_as_it_was_written(url: str) -> None:
    assert read(api={"url": url}).api.url == url


@pytest.mark.parametrize(
    "cidr",
    [
        "10.0.0.1",
        "fd00::1",
        "10.0.0.0/255.0.0.0",
        "10.0.0.0/",
        "/8",
        "lan",
        "10.0.0.0/8 ",
        "10.0.0.1/8",
        "10.0.0.0/33",
        "lan/8",
    ],
)
def test_a_source_range_that_is_no_network_with_its_length_is_refused(cidr: str) -> None:
    assert problems(adapters={"service": {"sourceRanges": ["10.0.0.0/8", cidr]}}) == [
        f"dittoinfra:adapters.service.sourceRanges[1]: {A_NETWORK} (it is {cidr!r})"
    ]


def test_a_wrong_adapter_type_is_named_by_its_own_place() -> None:
    [line] = problems(adapters={"types": {"-nfs": {}}})

    assert line.startswith("dittoinfra:adapters.types.-nfs: must match pattern")


@pytest.mark.parametrize("name", ["/", "media/", "/nfs", "media"])
def test_an_approval_without_server_or_type_is_refused(name: str) -> None:
    assert problems(approveRemovals=[name]) == [
        "dittoinfra:approveRemovals[0]: "
        f"must name an adapter as server/type, for instance media/nfs (it is {name!r})"
    ]


@pytest.mark.parametrize("key", ["a b", "-a", "example..com/a", "example-.com/a", "example.com/", "/a", ""])
def test_a_label_or_annotation_key_that_kubernetes_would_refuse_is_refused(key: str) -> None:
    message = "must be a Kubernetes key, such as example.com/name"

    [label] = problems(servers=[{"name": "a", "labels": {key: "x"}}])
    [annotation] = problems(adapters={"service": {"annotations": {key: "x"}}})

    assert message in label
    assert message in annotation


@pytest.mark.parametrize("key", ["n" * 64, f"example.com/{'n' * 64}", f"{'p' * 254}/n"])
def test_a_key_with_a_part_that_is_too_long_is_refused(key: str) -> None:
    [line] = problems(servers=[{"name": "a", "labels": {key: "x"}}])

    assert "must have at most 63 characters, and at most 253 before its '/'" in line


def test_upper_case_before_the_slash_is_for_annotations_only() -> None:
    annotations = {"Example.com/a": "x"}
    assert (
        read(adapters={"service": {"annotations": annotations}}).adapters.service.annotations == annotations
    )

    [line] = problems(servers=[{"name": "a", "labels": {"Example.com/a": "x"}}])
    assert "must be a Kubernetes key, such as example.com/name" in line


def test_the_counter_of_absences_cannot_be_configured() -> None:
    [line] = problems(adapters={"service": {"annotations": {"dittofs.io/absence-count": "2"}}})

    assert "is where absences are counted; it cannot be configured" in line


def test_a_label_value_that_kubernetes_would_refuse_is_refused() -> None:
    [line] = problems(servers=[{"name": "a", "labels": {"team": "not this one"}}])

    assert line.startswith("dittoinfra:servers[0].labels.team: must match pattern")


@pytest.mark.parametrize("text", ["1²1", "1" * 5000], ids=["superscript", "many digits"])
def test_a_value_with_odd_digits_is_a_problem_and_no_crash(text: str) -> None:
    assert len(problems(namespace=text)) == 1


def test_a_wrong_network_that_was_encrypted_is_not_repeated() -> None:
    lines = problems(("adapters",), adapters={"service": {"sourceRanges": ["10.1.2.3/8"]}})
    assert not any("10.1.2.3" in line for line in lines)


@pytest.mark.parametrize(
    "url",
    [
        "https://media?",
        "https://media#",
        "https:///media",
        "https://good\\@evil",
        "https://me\\dia",
        "https://media\x01",
    ],
)
def test_an_address_that_httpx_reads_otherwise_is_refused(url: str) -> None:
    assert len(problems(api={"url": url})) == 1


@pytest.mark.parametrize("cidr", ["fe80::%1/64", "fe80::%eth0/64"])
def test_a_network_with_a_zone_is_refused(cidr: str) -> None:
    assert len(problems(adapters={"service": {"sourceRanges": [cidr]}})) == 1


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (timedelta(hours=168), "168h"),
        (timedelta(minutes=15), "15m"),
        (timedelta(seconds=90), "90s"),
        (timedelta(milliseconds=1500), "1500ms"),
        (timedelta(microseconds=2500), "2.5ms"),
        (timedelta(0), "0ms"),
    ],
)
def test_a_duration_is_written_in_its_largest_whole_unit(length: timedelta, text: str) -> None:
    assert duration_text(length) == text
