"""A change of a server's image after which its data could not be read stops the run, with a way on."""

from itertools import pairwise
from typing import Any

import pytest

from dittoinfra.decide.guard import patched_place
from dittoinfra.decide.image_changes import (
    ImageDecision,
    ImageVersion,
    decide_images,
    held_image,
    image_version,
    running_image,
)
from dittoinfra.decide.refusals import ImageRefused
from dittoinfra.object_model import HeldObject, LiveObject, LiveObjects, ObjectPlace
from dittoinfra.settings import Deploy
from dittoinfra.state import Memory
from tests.pure.decide.make import server

HELD = HeldObject("apps/v1", "StatefulSet", "media")
PLACE = patched_place(server("media"))


def running(image: str) -> dict[str, Any]:
    """A StatefulSet with a container beside the server's own."""
    containers = [{"name": "sidecar", "image": "proxy:9.9.9"}, {"name": "dittofs", "image": image}]
    return {"spec": {"template": {"spec": {"containers": containers}}}}


def remembering(image: str, place: ObjectPlace | None = PLACE, replacing: tuple[str, ...] = ()) -> Memory:
    return Memory(objects={HELD: place}, contents={HELD: running(image)}, replacing=replacing)


def decided(
    image: str,
    memory: Memory,
    objects: LiveObjects | None = None,
    approved: str | None = None,
    **more: object,
) -> ImageDecision:
    deploy = {"image": image, "approveImage": approved}
    return decide_images([server("media", deploy=deploy, **more), server("other")], memory, objects)


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("marmos91c/dittofs:v0.31.1", ImageVersion((0, 31, 1))),
        ("registry.example.com:5000/dittofs:0.31.1", ImageVersion((0, 31, 1))),
        ("dittofs:v0.32.0-alpine", ImageVersion((0, 32, 0))),
        ("dittofs:v0.32.0-alphabet", ImageVersion((0, 32, 0))),
        ("dittofs:v0.32.0-rc.1-alpine", ImageVersion((0, 32, 0), 2, 1)),
        ("dittofs:v0.32.0-beta.1.2", ImageVersion((0, 32, 0), 1, 1)),
        ("dittofs:v0.31.1@sha256:abc", ImageVersion((0, 31, 1))),
        ("dittofs@sha256:abc", None),
        ("dittofs:latest", None),
        ("dittofs:v0.31", None),
        ("dittofs:v0.31.1.2", None),
        ("registry.example.com:5000/dittofs", None),
        ("dittofs", None),
    ],
)
def test_only_an_exact_version_is_one(image: str, version: ImageVersion | None) -> None:
    assert image_version(image) == version


def test_versions_before_a_release_are_earlier_ones() -> None:
    tags = ["v0.31.9", "v0.32.0-alpha", "v0.32.0-alpha.2", "v0.32.0-beta1", "v0.32.0-rc.2", "v0.32.0-rc.10"]
    ordered = [image_version(f"d:{tag}") for tag in (*tags, "v0.32.0", "v0.32.1-rc.1")]

    for earlier, later in pairwise(ordered):
        assert earlier is not None
        assert later is not None
        assert earlier < later


def test_the_default_is_an_exact_version() -> None:
    assert image_version(Deploy().image) == ImageVersion((0, 31, 1))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("d:v0.31.1", "d:v0.31.1"),
        ("d:v0.29.0", "d:v0.31.1"),
        ("d:v0.29.0", "d:v0.30.0"),
        ("d:v0.31.1", "mirror.example.com/d:v0.31.1"),
        ("d:v0.32.0", "mirror.example.com/d:0.40.2"),
    ],
)
def test_what_keeps_the_data_needs_no_word(before: str, after: str) -> None:
    assert decided(after, remembering(before)) == ImageDecision()


def test_an_older_version_is_refused() -> None:
    [refusal] = decided("d:v0.31.1", remembering("d:v0.32.0")).refusals

    assert str(refusal) == (
        "media: deploy.image changes from d:v0.32.0 to d:v0.31.1: an older DittoFS cannot read what a newer "
        "one has written; leave it at d:v0.32.0, or restore the volumes from before the upgrade first; "
        "if you know that its data survives, approve it: `deploy.approveImage: d:v0.31.1`"
    )


def test_a_version_before_a_release_is_older_than_it() -> None:
    [refusal] = decided("d:v0.32.0-rc.1", remembering("d:v0.32.0")).refusals

    assert "an older DittoFS cannot read what a newer one has written" in str(refusal)


@pytest.mark.parametrize("before", ["d:v0.31.0", "d:v0.31.1-rc.1"])
@pytest.mark.parametrize(
    ("tag", "release"), [("v0.32.0", "v0.31.1"), ("0.32.0", "0.31.1"), ("v0.32.0-rc.1", "v0.31.1")]
)
def test_a_skipped_migration_is_refused(before: str, tag: str, release: str) -> None:
    [refusal] = decided(f"registry:5000/d:{tag}", remembering(before)).refusals

    assert f"it skips {release}, which converts" in str(refusal)
    assert f"set registry:5000/d:{release} first, run, and go on when the server is ready" in str(refusal)


READY = {"observedGeneration": 3, "updatedReplicas": 1, "readyReplicas": 1}


@pytest.mark.parametrize(
    ("status", "ran"),
    [
        (READY, True),
        (READY | {"currentRevision": "a", "updateRevision": "b"}, True),
        (READY | {"observedGeneration": 2}, False),
        (READY | {"updatedReplicas": 0}, False),
        (READY | {"readyReplicas": 0}, False),
        ({"observedGeneration": 3, "currentRevision": "b", "updateRevision": "b"}, False),
        ({}, False),
    ],
    ids=[
        "ready",
        "OnDelete, Pod deleted",
        "not seen yet",
        "OnDelete",
        "not ready",
        "no replicas",
        "no status",
    ],
)
def test_the_migration_release_must_have_run(status: dict[str, Any], ran: bool) -> None:
    content = {**running("d:v0.31.1"), "metadata": {"generation": 3}, "status": status}
    live = {PLACE: LiveObject({}, content=content)}

    refusals = decided("d:v0.32.0", remembering("d:v0.31.1"), live).refusals

    assert bool(refusals) != ran
    assert decided("d:v0.31.1", remembering("d:v0.31.1"), live) == ImageDecision()
    assert decided("d:v0.32.0", remembering("d:v0.31.1"), live, "d:v0.32.0") == ImageDecision()


def test_a_server_that_is_not_seen_has_not_run() -> None:
    [refusal] = decided("d:v0.32.0", remembering("d:v0.31.1")).refusals

    assert "the cluster does not show that d:v0.31.1 has run, which converts" in str(refusal)
    assert "go on when a Pod of it is ready" in str(refusal)
    assert "`deploy.approveImage: d:v0.32.0`" in str(refusal)


def test_an_approval_is_for_one_image_only() -> None:
    newer = remembering("d:v0.32.0")

    assert decided("d:v0.31.1", newer, approved="d:v0.31.1").refusals == ()
    assert len(decided("d:v0.31.1", newer, approved="d:v0.31.0").refusals) == 1


def test_what_runs_counts_more_than_what_was_declared() -> None:
    by_hand = {PLACE: LiveObject({}, content=running("d:v0.32.0"))}

    assert len(decided("d:v0.31.1", remembering("d:v0.31.1"), by_hand).refusals) == 1
    assert decided("d:v0.31.1", remembering("d:v0.32.0"), {PLACE: None}).refusals != (), "volumes stay"


def test_an_adopted_server_is_not_set_back_either() -> None:
    of_the_operator = {PLACE: LiveObject({}, content=running("d:v0.32.0"))}

    assert len(decided("d:v0.31.1", Memory(), of_the_operator, adopt=True).refusals) == 1
    assert decided("d:v0.31.1", Memory(), of_the_operator) == ImageDecision(), (
        "it is refused for another reason"
    )


def test_other_volumes_have_no_past() -> None:
    elsewhere = ObjectPlace("apps/v1", "StatefulSet", "elsewhere", "media")

    assert decided("d:v0.31.1", remembering("d:v0.32.0", elsewhere)) == ImageDecision()
    assert decided("d:v0.31.1", remembering("d:v0.32.0", replacing=("context",))) == ImageDecision()
    assert decided("d:v0.31.1", Memory()) == ImageDecision()


@pytest.mark.parametrize("image", ["d:latest", "d@sha256:abc", "d:v0.31"])
def test_an_image_without_a_version_is_a_warning(image: str) -> None:
    decision = decided(image, remembering("d:v0.32.0"))
    [note] = decision.notes

    assert decision.refusals == ()
    assert note.warning
    assert f"image {image} names no exact version" in note.text
    assert "pin one, such as :v0.31.1" in note.text


def test_the_default_after_an_image_without_a_version_needs_approval() -> None:
    of_the_operator = {PLACE: LiveObject({}, content=running("d:latest"))}
    default = Deploy().image

    def refusals(**deploy: str) -> tuple[ImageRefused, ...]:
        servers = [server("media", deploy=deploy, adopt=True)]
        return decide_images(servers, Memory(), of_the_operator).refusals

    [refusal] = refusals()
    assert "d:latest names no exact version, so that the default may be an older one" in str(refusal)
    assert "set deploy.image to the version that runs now" in str(refusal)
    assert refusals(approveImage=default) == refusals(image=default) == refusals(image="d:latest") == ()


def test_the_image_of_a_server_is_that_of_its_container_or_of_the_first() -> None:
    def held(*containers: dict[str, str]) -> str | None:
        return held_image({"spec": {"template": {"spec": {"containers": containers}}}})

    assert held({"name": "proxy", "image": "p"}, {"name": "dittofs", "image": "d"}) == "d"
    assert held({"name": "server", "image": "d"}, {"name": "proxy", "image": "p"}) == "d"
    assert held({"name": "dittofs"}) is held() is None

    pod = {"spec": {"containers": [{"name": "dittofs", "image": "d"}]}}
    assert running_image({**pod, "status": {"phase": "Running"}}) == "d"
    assert running_image({**pod, "status": {"phase": "Pending"}}) is running_image(pod) is None
    assert (
        decide_images([server("media", deploy={})], remembering(""), {PLACE: LiveObject({})})
        == ImageDecision()
    )


def test_a_version_after_an_image_without_one_is_a_warning() -> None:
    decision = decided("d:v0.31.1", remembering("d:latest"))
    [note] = decision.notes

    assert decision.refusals == ()
    assert note.warning
    assert "from d:latest, which names no exact version, to d:v0.31.1" in note.text
