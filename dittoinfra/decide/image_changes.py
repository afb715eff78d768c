"""Whether a server's data survives a change of its image. Pure.

What a newer DittoFS writes, an older one cannot read; and what was written before the journal is converted by
one release only. A change that would lose data that way is refused.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dittoinfra import naming
from dittoinfra.decide.guard import patched_place
from dittoinfra.decide.refusals import ImageRefused
from dittoinfra.model import Note
from dittoinfra.nested_values import block, text
from dittoinfra.object_model import HeldObject, LiveObjects
from dittoinfra.settings import Deploy, ServerSettings
from dittoinfra.settings.deploy import TESTED_VERSION
from dittoinfra.settings.dittofs_keys import Version
from dittoinfra.state import Memory

_EARLIER_STAGES = ("alpha", "beta", "rc")


@dataclass(frozen=True, slots=True, order=True)
class ImageVersion:
    """An exact version; those before a release, such as v0.32.0-rc.1, come before it."""

    release: Version
    stage: int = len(_EARLIER_STAGES)
    number: int = 0
    """Of several versions of one stage."""


MIGRATION_RELEASE = ImageVersion((0, 31, 1))
"""The release that shares from before the journal must pass through."""

_CONVERTS = "which converts what earlier versions have written, and no later one does"

# A tag such as v0.31 is moved to each new patch release: it is no exact version.
_EXACT_VERSION = re.compile(
    r"v?([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})"
    # Whatever else follows is a variant, such as -alpine, and no earlier version.
    rf"(?:-({'|'.join(_EARLIER_STAGES)})(?![a-z])[.-]?([0-9]{{1,9}})?.*|[-+].*)?"
)


@dataclass(frozen=True, slots=True)
class ImageDecision:
    """Changes of images that are refused, and notes on those that cannot be checked."""

    refusals: tuple[ImageRefused, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerImage:
    """An image of a server, and what names it."""

    name: str
    runs: bool
    """Whether it is that of a Pod that runs; otherwise that of the StatefulSet's template."""


@dataclass(frozen=True, slots=True)
class _Before:
    """The image that a server's data was last written by, as far as that is known."""

    image: str
    ran: bool
    """Whether the cluster shows a Pod of it that is ready. Until then it may have converted nothing."""


def image_version(image: str) -> ImageVersion | None:
    """The exact version that an image's tag names; None for a moving tag, a digest alone, or no tag."""
    exact = _EXACT_VERSION.fullmatch(split_image(image)[1])
    if exact is None:
        return None
    release = int(exact[1]), int(exact[2]), int(exact[3])
    if exact[4] is None:
        return ImageVersion(release)
    return ImageVersion(release, _EARLIER_STAGES.index(exact[4]), int(exact[5] or 0))


def decide_images(
    servers: Sequence[ServerSettings], memory: Memory, objects: LiveObjects | None
) -> ImageDecision:
    """Compare every declared image with the one that the server's data was last written by."""
    changes = [
        (server.name, deploy, _before(server, memory, objects or {}))
        for server in servers
        if (deploy := server.deploy) is not None
    ]
    return ImageDecision(
        tuple(
            ImageRefused(server, before.image, deploy.image, *reason)
            for server, deploy, before in changes
            if before is not None and deploy.image not in (before.image, deploy.approve_image)
            for reason in _reasons(deploy, before)
        ),
        tuple(
            note
            for server, deploy, before in changes
            for note in _unknown(server, before.image if before else None, deploy.image)
        ),
    )


def _reasons(deploy: Deploy, before: _Before) -> Iterator[tuple[str, str]]:
    """Why a change may lose data, and what to do instead."""
    was, will_be = image_version(before.image), image_version(deploy.image)
    if was is None:
        # A person who writes an image has chosen it, and is warned; of the default nothing is known.
        if "image" not in deploy.model_fields_set:
            yield (
                f"{before.image} names no exact version, so that the default may be an older one, which "
                "cannot read what a newer one has written",
                "set deploy.image to the version that runs now",
            )
    elif will_be is None:
        return
    elif will_be < was:
        yield (
            "an older DittoFS cannot read what a newer one has written",
            f"leave it at {before.image}, or restore the volumes from before the upgrade first",
        )
    elif was < MIGRATION_RELEASE < will_be:
        repository, tag = split_image(deploy.image)
        release = ("v" if tag.startswith("v") else "") + ".".join(map(str, MIGRATION_RELEASE.release))
        yield (
            f"it skips {release}, {_CONVERTS}",
            f"set {repository}:{release} first, run, and go on when the server is ready",
        )
    elif was == MIGRATION_RELEASE < will_be and not before.ran:
        yield (
            f"the cluster does not show that {before.image} has run, {_CONVERTS}",
            "go on when a Pod of it is ready, which needs deploy.replicas: 1 and, with updateStrategy "
            "OnDelete, that the old Pod is deleted",
        )


def _unknown(server: str, before: str | None, after: str) -> Iterator[Note]:
    if image_version(after) is None:
        yield Note(
            server,
            f"image {after} names no exact version: a restart of the Pod may start another one, and neither "
            f"a downgrade nor a skipped migration can be seen; pin one, such as :{TESTED_VERSION}",
            warning=True,
        )
    elif before is not None and image_version(before) is None:
        yield Note(
            server,
            f"image changes from {before}, which names no exact version, to {after}: whether that is a "
            "downgrade, which loses data, cannot be seen; check the version that runs now before you go on",
            warning=True,
        )


def _before(server: ServerSettings, memory: Memory, objects: LiveObjects) -> _Before | None:
    """The image of the live StatefulSet, or else of the one in the state."""
    place = patched_place(server)
    held = HeldObject(place.api_version, place.kind, server.name)
    live = objects.get(place)
    if live is not None and (server.adopt or held in memory.objects):
        image = held_image(live.content)
        return _Before(image, _has_run(live.content)) if image is not None else None
    # Another place, or another cluster, has other volumes.
    if memory.replacing or memory.objects.get(held) not in (None, place):
        return None
    image = held_image(memory.contents.get(held, {}))
    return _Before(image, ran=False) if image is not None else None


def _has_run(stateful_set: Mapping[str, Any]) -> bool:
    """Whether a Pod of today's template is ready: there is one Pod at most.

    `currentRevision` does not tell it: with `OnDelete` it stays, and without replicas it moves on.
    """
    status = block(stateful_set, "status")
    # Until the controller has seen the template, the counts are about the one before.
    seen = status.get("observedGeneration") == block(stateful_set, "metadata").get("generation")
    return seen and bool(status.get("updatedReplicas")) and bool(status.get("readyReplicas"))


def held_image(stateful_set: Mapping[str, Any]) -> str | None:
    """The image of the server's container in a StatefulSet; of the first where none has the usual name."""
    return _container_image(block(stateful_set, "spec", "template", "spec"))


def running_image(pod: Mapping[str, Any]) -> str | None:
    """The image of the server's container in a Pod; None where the Pod does not run."""
    return _container_image(block(pod, "spec")) if block(pod, "status").get("phase") == "Running" else None


def _container_image(pod_spec: Mapping[str, Any]) -> str | None:
    containers = pod_spec.get("containers") or ()
    # Beside the server's own there may be others that a mesh or an administrator put there.
    own = [this for this in containers if this.get("name") == naming.CONTAINER]
    return next((text(this, "image") for this in (*own, *containers)), None)


def split_image(image: str) -> tuple[str, str]:
    """The repository and the tag of an image; the port of a registry is no tag."""
    name = image.partition("@")[0]
    path, slash, last = name.rpartition("/")
    last, _, tag = last.partition(":")
    return f"{path}{slash}{last}", tag
