"""Where declared objects end up: what the provider needs from a folder or an API."""

from typing import Protocol

from lab.standin.properties import Properties
from lab.standin.scope import is_namespaced
from lab.standin.target import Target
from lab.standin.terms import Terms


class Store(Protocol):
    """Keeps objects; every method may be called from many threads at once."""

    @property
    def default_namespace(self) -> str:
        """Where an object goes that names no namespace."""
        ...

    def is_namespaced(self, api_version: str, kind: str) -> bool:
        """Whether objects of this kind live in namespaces."""
        ...

    def serves(self, api_version: str, kind: str) -> bool:
        """Whether objects of this kind can be kept now; a preview asks nothing about those that cannot."""
        ...

    def fitted(self, manifest: Properties) -> Properties:
        """The manifest of a built-in kind in the shape of its schema."""
        ...

    def create(self, target: Target, terms: Terms) -> Properties:
        """Make the object and return it as it is once it is ready."""
        ...

    def preview_create(self, target: Target, terms: Terms) -> Properties:
        """What `create` would return, as far as can be told without changing anything."""
        ...

    def update(self, target: Target, terms: Terms) -> Properties:
        """Bring the object to the declared state and return it as it is once it is ready."""
        ...

    def preview_update(self, target: Target, terms: Terms) -> Properties:
        """What `update` would return, as far as can be told without changing anything."""
        ...

    def look(self, target: Target) -> Properties:
        """The object as it is now, ready or not; one that is not there is refused."""
        ...

    def read(self, target: Target, terms: Terms) -> Properties | None:
        """The object as it is now, or None when it is gone; one that is not ready is `UnfinishedError`."""
        ...

    def delete(self, target: Target, terms: Terms) -> None:
        """Remove the object and wait until it is gone, or for a patch give up its fields."""
        ...

    def release(self, target: Target, manager: str) -> None:
        """Give up every field that a manager owns in the object."""
        ...

    def close(self) -> None:
        """Give back whatever the store holds open."""
        ...


class ManifestFolder:
    """What stores of manifests in a folder have in common: there is no API, so nothing is checked or held."""

    @property
    def default_namespace(self) -> str:
        """The namespace `kubectl apply` would use for such a manifest."""
        return "default"

    def is_namespaced(self, api_version: str, kind: str) -> bool:  # noqa: ARG002  (kinds are known by name)
        """Whether it is not one of the built-in kinds outside namespaces."""
        return is_namespaced(kind)

    def serves(self, api_version: str, kind: str) -> bool:  # noqa: ARG002  (a folder keeps everything)
        """Every kind can be written down."""
        return True

    def fitted(self, manifest: Properties) -> Properties:
        """The manifest as it is: its schema is not known here."""
        return manifest

    def release(self, target: Target, manager: str) -> None:
        """A folder knows no managers."""

    def close(self) -> None:
        """A folder holds nothing open."""
