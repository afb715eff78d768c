"""Which version a server runs, from what its cluster and its API tell, and what is wrong with it."""

import pytest

from dittoinfra.decide.image_changes import ServerImage
from dittoinfra.engine.server_version import FoundVersion, find_version
from dittoinfra.model import Answered, Outcome, Unreachable
from dittoinfra.trouble import Trouble

HERE = Answered(())
OLD = Answered((), lacks_ports=True)
SILENT = Unreachable("off")
NONE = Trouble("the cluster has no StatefulSet files/media")

TOO_OLD = "older than 0.28.0, the first whose adapters' ports a user of the role `user` may read"


@pytest.mark.parametrize("outcome", [HERE, SILENT])
@pytest.mark.parametrize(
    ("image", "number"),
    [
        ("marmos91c/dittofs:v0.29.0", "0.29.0"),
        ("marmos91c/dittofs:0.31.1", "0.31.1"),
        ("registry.example:5000/dittofs:v0.31.1@sha256:0123", "0.31.1"),
        ("marmos91c/dittofs:v0.29.0-alpine", "0.29.0-alpine"),
        # Of a minor version that was tested.
        ("marmos91c/dittofs:v0.31.9", "0.31.9"),
    ],
)
def test_the_tag_of_an_image_tells_it(image: str, number: str, outcome: Outcome) -> None:
    found = find_version(ServerImage(image, runs=True), outcome)
    assert found == FoundVersion(number, f"image {image} of its Pod")


def test_where_no_pod_runs_the_template_tells_it_and_that_is_said() -> None:
    image = "marmos91c/dittofs:v0.31.1"
    found = find_version(ServerImage(image, runs=False), HERE)
    assert found == FoundVersion("0.31.1", f"image {image} of its StatefulSet, without a Pod to look at")


def test_where_nothing_tells_it_that_is_said_and_why() -> None:
    found = find_version(NONE, HERE)

    assert str(found) == (
        "unknown (its API does not tell it, and the cluster has no StatefulSet files/media)"
    )
    assert found.trouble is None


@pytest.mark.parametrize(
    ("image", "outcome", "number", "cause"),
    [
        ("dittofs:v0.27.3", SILENT, "0.27.3", TOO_OLD),
        ("dittofs:v0.27.3", OLD, "0.27.3", TOO_OLD),
        (NONE, OLD, "before 0.28.0", TOO_OLD),
        ("dittofs:v0.31.1", OLD, "0.31.1", "its API is one of a server before 0.28.0"),
        ("dittofs:v0.32.0", HERE, "0.32.0", "newer than 0.31.1, the newest that was tested"),
        ("dittofs:v0.30.2", HERE, "0.30.2", "not tested, as 0.29.0 and 0.31.1 were"),
        ("dittofs:v0.28.0-alpine", SILENT, "0.28.0-alpine", "not tested, as 0.29.0 and 0.31.1 were"),
        ("dittofs:latest", HERE, "unknown", "its tag is no version"),
        ("dittofs:latest", OLD, "before 0.28.0", "its tag is no version"),
        ("registry.example:5000/dittofs", HERE, "unknown", "its tag is no version"),
        ("dittofs@sha256:0123", HERE, "unknown", "its tag is no version"),
    ],
)
def test_what_is_wrong_with_it_is_told_with_what_to_do(
    image: str | Trouble, outcome: Outcome, number: str, cause: str
) -> None:
    found = find_version(image if isinstance(image, Trouble) else ServerImage(image, runs=True), outcome)

    assert found.number == number
    assert found.trouble is not None
    assert found.trouble.cause == cause
    assert found.trouble.next_step
