"""What `--json` prints: the single source of the schemas in docs/schemas."""

from typing import Literal

from dittoinfra.changes import Changes
from dittoinfra.json_document import Document, VersionedDocument

FileState = Literal["written", "unchanged", "removed"]
UserStatus = Literal["works", "created", "password set", "not asked", "not there yet", "failed"]


class RenderedFile(Document):
    """One manifest."""

    path: str
    """Relative to the folder."""
    state: FileState
    """What became of it in this run."""


class RenderDocument(VersionedDocument):
    """What `dittoinfra render --json` prints."""

    stack: str
    """Name of the stack."""
    folder: str
    """Where the manifests are."""
    files: tuple[RenderedFile, ...]
    """Every manifest, ordered by path."""
    left_out: tuple[str, ...]
    """Objects that the stack declares and that were not rendered."""
    notes: tuple[str, ...]
    """What the run says about its servers."""


class InitUser(Document):
    """The user of one server."""

    server: str
    """Name of the server."""
    username: str
    """The user that the stack logs in as."""
    state: UserStatus
    """The state of the user now."""
    text: str
    """The state in a sentence, with what is left to do."""


class InitDocument(VersionedDocument):
    """What `dittoinfra init --json` prints."""

    stack: str
    """Name of the stack."""
    file: str
    """Its configuration."""
    file_written: bool
    """Whether this run wrote the file; false where it was there already."""
    secrets: tuple[str, ...]
    """Paths of the secrets that this run stored, encrypted. Never their values."""
    users: tuple[InitUser, ...]
    """The user of every server."""
    next: tuple[str, ...]
    """Commands to go on with."""


class AdoptDocument(VersionedDocument):
    """What `dittoinfra adopt --json` prints."""

    stack: str
    """Name of the stack."""
    adopted: bool
    """Whether it was done; false where it was only shown."""
    changes: Changes
    """Resources, as the engine counts them: to it every adopted object is a new one."""
    notes: tuple[str, ...]
    """What becomes of each object, in the run's own words."""
    warnings: tuple[str, ...]
    """Those that need a closer look: a Pod that restarts, something that is removed."""
    settled: bool | None
    """Whether nothing is left to do afterwards; null where it was only shown."""
