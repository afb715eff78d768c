"""Errors of the stand-in Kubernetes provider.

StandInError
├── RefusedError           the Kubernetes API, or the file system, said no
│   └── ApiError           the API's own words, and which kind of refusal it was
├── NoSuchKindError        the API does not serve the kind
├── NotPreviewedError      a preview cannot tell; what was declared has to do
├── UnfinishedError        it was done, but did not come to its end
├── PartialError           a failure that leaves a state for the engine to keep
├── NotConfiguredError     an operation arrived before the engine's configuration
└── InjectedError          a test asked for this failure
"""

from collections.abc import Sequence

from lab.standin.properties import Properties


class StandInError(Exception):
    """An error with a message for the user."""


class RefusedError(StandInError):
    """The Kubernetes API, or the file system, refused the operation."""


class ApiError(RefusedError):
    """A refusal of the Kubernetes API."""

    def __init__(self, message: str, *, reason: str, about: str = "", required: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        """The API's name for the kind of refusal: `NotFound`, `Conflict`, `Invalid`, …"""
        self.about = about
        """The plural of what was not found, which may be another kind than that of the object."""
        self.required = required
        """The first field without which the API does not take the object."""


class NoSuchKindError(StandInError):
    """The API does not serve the kind, or not yet."""

    def __init__(self, api_version: str, kind: str) -> None:
        super().__init__(f'no matches for kind "{kind}" in version "{api_version}"')


class NotPreviewedError(StandInError):
    """A preview cannot tell whether it would work."""


class UnfinishedError(StandInError):
    """The API accepted it, but what was waited for did not happen."""

    def __init__(self, message: str, live: Properties, reasons: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.live = live
        self.reasons = tuple(reasons)


class PartialError(StandInError):
    """A failure after which the engine still saves a state."""

    def __init__(
        self,
        message: str,
        *,
        resource_id: str,
        state: Properties,
        inputs: Properties | None = None,
        reasons: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.resource_id = resource_id
        self.state = state
        self.inputs = inputs
        self.reasons = (message, *reasons)


class NotConfiguredError(StandInError):
    """The engine asked for an operation without configuring the provider first."""


class InjectedError(StandInError):
    """A failure that a test asked for."""
