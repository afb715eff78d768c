"""Where declared objects end up: what the provider needs from a folder or an API."""

from typing import Protocol

from dittoinfra.standin.properties import Properties
from dittoinfra.standin.target import Target


class Store(Protocol):
    """Keeps objects; every method may be called from many threads at once."""

    @property
    def default_namespace(self) -> str:
        """Where an object goes that names no namespace."""
        ...

    def is_namespaced(self, api_version: str, kind: str) -> bool:
        """Whether objects of this kind live in namespaces."""
        ...

    def create(self, target: Target, manifest: Properties, *, take_over: bool) -> Properties:
        """Make the object, or with `take_over` adopt one that exists, and return it as it is now."""
        ...

    def preview_create(self, target: Target, manifest: Properties) -> Properties:
        """What `create` would return, as far as can be told without changing anything."""
        ...

    def update(self, target: Target, manifest: Properties) -> Properties:
        """Bring the object to the declared state and return it as it is now."""
        ...

    def preview_update(self, target: Target, manifest: Properties) -> Properties:
        """What `update` would return, as far as can be told without changing anything."""
        ...

    def read(self, target: Target) -> Properties | None:
        """The object as it is now, or None when it is gone."""
        ...

    def delete(self, target: Target) -> None:
        """Remove the object, or for a patch release its fields; already gone is fine."""
        ...

    def close(self) -> None:
        """Give back whatever the store holds open."""
        ...
