"""Settings of the Pod and its claims that are refused, and the one spelling of a size."""

import pytest

from dittoinfra.settings.base import canonical_quantity
from tests.pure.settings.reading import problems

DEPLOY = "dittoinfra:servers[0].deploy"


def complaints(deploy: dict[str, object]) -> list[str]:
    return [
        line.removeprefix(DEPLOY)
        for line in problems(servers=[{"name": "media", "deploy": deploy}])
        if "credentials" not in line
    ]


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("10Gi", "10Gi"),
        ("1024Mi", "1Gi"),
        ("10240Mi", "10Gi"),
        ("1536Mi", "1536Mi"),
        ("1048576Ki", "1Gi"),
        ("1000M", "1G"),
        ("1000k", "1M"),
        ("1024", "1024"),
        ("1000", "1k"),
        ("7Ei", "7Ei"),
        ("1024Pi", "1Ei"),
    ],
)
def test_a_size_has_one_spelling(written: str, size: str) -> None:
    assert canonical_quantity(written) == size


@pytest.mark.parametrize("size", ["", "Gi", "0Gi", "-1Gi", "1.5Gi", "10GB", "10K", "1e3", "10 Gi"])
def test_what_is_not_a_size_is_refused(size: str) -> None:
    assert complaints({"storage": {"metadata": {"size": size}}}) == [
        f".storage.metadata.size: must be a whole number with a unit, such as 10Gi (it is {size!r})"
    ]


@pytest.mark.parametrize("size", ["8Ei", "9223372036854775808k"])
def test_a_size_beyond_counting_is_refused(size: str) -> None:
    (line,) = complaints({"storage": {"metadata": {"size": size}}})

    assert line.startswith(".storage.metadata.size: must be")


@pytest.mark.parametrize(
    ("deploy", "line"),
    [
        ({"env": [{"value": "1"}]}, ".env[0]: must have a name"),
        ({"env": [{"name": ""}]}, ".env[0]: must have a name"),
        ({"volumes": [{"emptyDir": {}}]}, ".volumes[0]: must have a name"),
        ({"volumeMounts": [{"name": "a"}]}, ".volumeMounts[0]: must have a mountPath"),
        ({"volumeMounts": [{"mountPath": "/a"}]}, ".volumeMounts[0]: must have a name"),
        (
            {"volumes": [{"name": "content"}]},
            ".volumes[0]: 'content' is the name of a claim; choose another",
        ),
    ],
)
def test_a_block_that_could_not_be_merged_is_refused(deploy: dict[str, object], line: str) -> None:
    assert complaints(deploy) == [line]
