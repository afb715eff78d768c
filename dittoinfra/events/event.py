"""One thing that happened to one object; also the schema of a line of `--events`."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from dittoinfra.document import Document


class EventObject(Document):
    """The Kubernetes object that an event is about."""

    api_version: str
    """API group and version, such as `v1` or `apps/v1`."""
    kind: str
    """Kind of the object."""
    namespace: str | None
    """Null where objects of this kind have no namespace."""
    name: str
    """Name in the cluster."""
    uid: str | None
    """Null where the cluster has not made the object, or manifests are only written."""


class Event(Document):
    """One thing that happened, or would happen, to one Kubernetes object."""

    time: datetime
    """When the engine said so, in UTC."""
    stack: str
    """Stack whose run it was."""
    server: str | None
    """DittoFS server that the object is declared for; null for an object of the stack itself."""
    adapter: str | None
    """Type of the adapter that the object is declared for; null for an object of the server itself."""
    reason: str = Field(pattern=r"^[A-Z][A-Za-z0-9]*$")
    """What happened in one word, the DittoFS operator's where it has one: `AdapterServiceCreated`."""
    type: Literal["Normal", "Warning"]
    """`Warning` where something could not be done."""
    action: Literal["Create", "Update", "Delete"]
    """What the engine did to the object."""
    message: str
    """The same for people, in one line."""
    planned: bool
    """Whether a preview tells it: then it has not happened."""
    object: EventObject
    """What it happened to."""

    def as_line(self) -> str:
        """The event as one line of JSON."""
        return self.model_dump_json(by_alias=True)
