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
from dittoinfra.settings import ServerSettings
from dittoinfra.settings.deploy import TESTED_VERSION
from dittoinfra.state import Memory

Version = tuple[int, int, int]

MIGRATION_RELEASE: Version = (0, 31, 1)
"""The release that shares from before the journal must pass through."""

# A tag such as v0.31 is moved to each new patch release: it is no exact version.
_EXACT_VERSION = re.compile(r"v?([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})(?:[-+].*)?")


@dataclass(frozen=True, slots=True)
class ImageDecision:
    """Changes of images that are refused, and notes on those that cannot be checked."""

    refusals: tuple[ImageRefused, ...] = ()
    notes: tuple[Note, ...] = ()


def image_version(image: str) -> Version | None:
    """The exact version that an image's tag names; None for a moving tag, a digest alone, or no tag."""
    exact = _EXACT_VERSION.fullmatch(_split(image)[1])
    return (int(exact[1]), int(exact[2]), int(exact[3])) if exact else None


def decide_images(
    servers: Sequence[ServerSettings], memory: Memory, objects: LiveObjects | None
) -> ImageDecision:
    """Compare every declared image with the one that the server's data was last written by."""
    changes = [
        (server, deploy.image, _image_before(server, memory, objects or {}), deploy.approve_image)
        for server in servers
        if (deploy := server.deploy) is not None
    ]
    return ImageDecision(
        tuple(
            refusal
            for server, after, before, approved in changes
            if before is not None and approved != after
            for refusal in _refused(server.name, before, after)
        ),
        tuple(note for server, after, before, _ in changes for note in _unknown(server.name, before, after)),
    )


def _refused(server: str, before: str, after: str) -> Iterator[ImageRefused]:
    was, will_be = image_version(before), image_version(after)
    if was is None or will_be is None:
        return
    if will_be < was:
        why = "an older DittoFS cannot read what a newer one has written"
        instead = f"leave it at {before}, or restore the volumes from before the upgrade first"
        yield ImageRefused(server, before, after, why, instead)
    elif was < MIGRATION_RELEASE < will_be:
        repository, tag = _split(after)
        release = ("v" if tag.startswith("v") else "") + ".".join(map(str, MIGRATION_RELEASE))
        why = f"it skips {release}, which converts what earlier versions have written, and no later one does"
        instead = f"set {repository}:{release} first, run, and go on when the server is ready"
        yield ImageRefused(server, before, after, why, instead)


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


def _image_before(server: ServerSettings, memory: Memory, objects: LiveObjects) -> str | None:
    """The image that runs now: of the live StatefulSet, or else of the one in the state."""
    place = patched_place(server)
    held = HeldObject(place.api_version, place.kind, server.name)
    live = objects.get(place)
    if live is not None and (server.adopt or held in memory.objects):
        return held_image(live.content)
    # Another place, or another cluster, has other volumes.
    if memory.replacing or memory.objects.get(held) not in (None, place):
        return None
    return held_image(memory.contents.get(held, {}))


def held_image(stateful_set: Mapping[str, Any]) -> str | None:
    """The image of the server's container in a StatefulSet."""
    containers = block(stateful_set, "spec", "template", "spec").get("containers") or ()
    images = (text(this, "image") for this in containers if this.get("name") == naming.CONTAINER)
    return next(images, None)


def _split(image: str) -> tuple[str, str]:
    """The repository and the tag of an image; the port of a registry is no tag."""
    name = image.partition("@")[0]
    path, slash, last = name.rpartition("/")
    last, _, tag = last.partition(":")
    return f"{path}{slash}{last}", tag
