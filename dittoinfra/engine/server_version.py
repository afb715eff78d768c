"""Which version of DittoFS a server runs, as far as anything tells it, and what is wrong with it. Pure.

The API does not tell it. What does: the tag of the image in the cluster, of the Pod that runs or else of the
template for the next one, and for servers before v0.28 the list of ports that their API does not have.
"""

from dataclasses import dataclass

from semver import VersionInfo

from dittoinfra.decide.image_changes import ServerImage, split_image
from dittoinfra.engine.versions import DITTOFS, parsed
from dittoinfra.model import Answered, Outcome
from dittoinfra.trouble import Trouble

UNKNOWN = "unknown"
OLD = f"before {DITTOFS.oldest}"

_TOO_OLD = Trouble(
    f"older than {DITTOFS.oldest}, {DITTOFS.why}",
    f"update it to {DITTOFS.oldest} or later; until then its user needs the role operator",
)


@dataclass(frozen=True, slots=True)
class FoundVersion:
    """The version of one server."""

    number: str
    """`0.31.1`; `before 0.28.0` or `unknown` where nothing tells more."""
    source: str
    """What tells it, or why nothing does."""
    trouble: Trouble | None = None
    """What is wrong with it."""

    def __str__(self) -> str:
        return f"{self.number} ({self.source})"


def find_version(image: ServerImage | Trouble, outcome: Outcome) -> FoundVersion:
    """A version from the image of a server, or why that is not known, and from the server's answer."""
    old = isinstance(outcome, Answered) and outcome.lacks_ports
    if isinstance(image, Trouble):
        if old:
            return FoundVersion(OLD, "its API has no list of ports", _TOO_OLD)
        return FoundVersion(UNKNOWN, f"its API does not tell it, and {image.cause}")
    teller = "Pod" if image.runs else "StatefulSet, without a Pod to look at"
    source = f"image {image.name} of its {teller}"
    version = parsed(split_image(image.name)[1])
    if version is None:
        step = f"pin one, such as {DITTOFS.tested[-1]}: an upgrade that skips a release may lose data"
        return FoundVersion(OLD if old else UNKNOWN, source, Trouble("its tag is no version", step))
    number = str(version)
    # A variant, such as 0.31.1-alpine, is no earlier version.
    release = version.finalize_version()
    if release < DITTOFS.oldest:
        return FoundVersion(number, source, _TOO_OLD)
    if old:
        cause = f"its API is one of a server {OLD}"
        step = "check that api.url leads to this server"
        step += "" if image.runs else ", and that its Pod runs this image"
        return FoundVersion(number, source, Trouble(cause, step))
    if not DITTOFS.is_untested(release):
        return FoundVersion(number, source)
    newest = DITTOFS.tested[-1]
    if release > VersionInfo.parse(newest):
        cause, step = f"newer than {newest}, the newest that was tested", "look for a newer dittoinfra"
    else:
        cause, step = f"not tested, as {' and '.join(DITTOFS.tested)} were", f"update it to {newest}"
    return FoundVersion(number, source, Trouble(cause, f"{step}, and preview first"))
