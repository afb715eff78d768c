"""The Kubernetes object that a resource declares."""

import hashlib
from dataclasses import dataclass

from lab.standin.properties import Properties

FIELD_MANAGER = "pulumi-kubernetes"
"""Who owns the fields of a plain creation; from the first update on, a manager of the resource's own does."""

PATCH_SUFFIX = "Patch"


@dataclass(frozen=True, slots=True)
class ResourceUrn:
    """The parts of an engine's URN that matter here."""

    text: str
    stack: str
    project: str
    type_token: str

    @classmethod
    def parse(cls, text: str) -> "ResourceUrn":
        """Read `urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME`."""
        head, project, types, _name = text.split("::", 3)
        return cls(
            text=text,
            stack=head.removeprefix("urn:pulumi:"),
            project=project,
            type_token=types.rpartition("$")[2],
        )

    @property
    def api_version(self) -> str:
        """The apiVersion the type token names: `kubernetes:core/v1:Service` is `v1`."""
        return self.type_token.split(":")[1].removeprefix("core/")

    @property
    def kind(self) -> str:
        """The kind the type token names, `Patch` included."""
        return self.type_token.split(":")[2]


@dataclass(frozen=True, slots=True)
class ObjectKey:
    """What the Kubernetes API tells objects apart by."""

    api_version: str
    kind: str
    namespace: str | None
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"

    @property
    def id(self) -> str:
        """The resource's id."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @property
    def manifest(self) -> Properties:
        """The least an object can declare: itself."""
        metadata = {"name": self.name} | ({"namespace": self.namespace} if self.namespace else {})
        return {"apiVersion": self.api_version, "kind": self.kind, "metadata": metadata}


@dataclass(frozen=True, slots=True)
class Target:
    """One object, who asks for it, what is declared, and what it was when it was last seen."""

    urn: ResourceUrn
    key: ObjectKey
    is_patch: bool
    """Whether the asker owns a few fields of it only."""
    declared: Properties
    last: Properties
    secret: bool = False
    """Whether anything declared is marked secret."""

    def __str__(self) -> str:
        return str(self.key)

    @property
    def fingerprint(self) -> str:
        """A short, stable name for the resource among all that touch the same object."""
        return hashlib.sha256(self.urn.text.encode()).hexdigest()[:8]


def is_patch(urn: ResourceUrn, inputs: Properties) -> bool:
    """Whether the resource is a `…Patch`: its token says so and its object's kind does not."""
    return urn.kind.endswith(PATCH_SUFFIX) and inputs.get("kind") != urn.kind


def object_kind(urn: ResourceUrn, inputs: Properties) -> str:
    """The kind of the object itself."""
    return str(inputs.get("kind") or urn.kind.removesuffix(PATCH_SUFFIX))
