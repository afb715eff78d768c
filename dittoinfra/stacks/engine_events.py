"""What the engine's events say: of a resource its object and what differs, and messages as plain text."""

import re
from collections.abc import Mapping
from typing import Any

from pulumi.automation import StepEventMetadata

from dittoinfra.nested_values import block, text
from dittoinfra.stacks.shown_values import Difference, ObjectReference, differences_at
from dittoinfra.urns import is_former_component, resource_name
from dittoinfra.visible import visible

_PROVIDERS = "pulumi:providers:"
_PROVIDER = "kubernetes:"
_PATCH = "Patch"


def object_of(metadata: StepEventMetadata) -> ObjectReference | None:
    """The object of a step; None where the resource is no Kubernetes object."""
    state = metadata.new or metadata.old
    if state is None or not metadata.type.startswith(_PROVIDER):
        return None
    # Only the cluster's response has a uid, and after a deletion only the old state has one.
    states = [each for each in (metadata.new, metadata.old) if each is not None]
    about = [block(each or {}, "metadata") for state in states for each in (state.outputs, state.inputs)]
    inputs = state.inputs or {}
    return ObjectReference(
        api_version=text(inputs, "apiVersion") or metadata.type.split(":")[1],
        kind=text(inputs, "kind") or metadata.type.rpartition(":")[2].removesuffix(_PATCH),
        namespace=_first(about, "namespace"),
        name=_first(about, "name") or resource_name(metadata.urn),
        uid=_first(about, "uid"),
    )


def is_declared(metadata: StepEventMetadata) -> bool:
    """Whether a step is about a resource that the program has declared.

    Providers change with the SDK's version, and components of earlier versions are removed when their objects
    have moved.
    """
    return not (metadata.type.startswith(_PROVIDERS) or is_former_component(metadata.urn))


def _first(about: list[Mapping[str, Any]], key: str) -> str | None:
    return next(filter(None, (text(each, key) for each in about)), None)


def differences(metadata: StepEventMetadata) -> tuple[Difference, ...]:
    """Every property that the provider finds changed."""
    before, after = (state.inputs if state else None for state in (metadata.old, metadata.new))
    # The values of a Secret are never shown, whether they were marked as secret or not.
    hidden = metadata.type.endswith((":Secret", ":SecretPatch"))
    return differences_at(metadata.detailed_diff or (), before, after, hidden=hidden)


_COLOUR = re.compile(r"<\{%.*?%\}>")


def plain(message: str) -> str:
    """A message without the engine's colour tags, and without control characters for a terminal.

    It may quote a cluster, and so contain text of any user who may write there.
    """
    return visible(_COLOUR.sub("", message)).strip()


_NOISE = re.compile(
    r"using pulumi-\S+ from \$PATH at "
    r"|\w+ plugin \S+ is expected to have version "
    r"|\[\w+ plugin \S+\] "
    r"|(Downloading|Installing) plugin "
    r"|Error downloading plugin: "
    r"|[Uu]nable to download plugin "
)


def is_about_plugins(severity: str, text: str) -> bool:
    """Whether a message only says where a plugin comes from; an error that a run fails with is none."""
    return severity != "error" and _NOISE.match(text) is not None
