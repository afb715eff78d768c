"""Why the stand-in Kubernetes provider did not do what it was asked.

StandInError
├── AlreadyExistsError     an object of that name is there, and this resource did not make it
├── ObjectMissingError     a patch was asked for an object that nobody made
├── RefusedError           the Kubernetes API said no
├── NotConfiguredError     an operation arrived before the engine's configuration
└── InjectedError          a test asked for this failure
"""


class StandInError(Exception):
    """One line a person can act on."""


class AlreadyExistsError(StandInError):
    """An object of that name is there already."""


class ObjectMissingError(StandInError):
    """The object a patch is meant for is not there."""


class RefusedError(StandInError):
    """The Kubernetes API, or the file system, refused the operation."""


class NotConfiguredError(StandInError):
    """The engine asked for an operation without configuring the provider first."""


class InjectedError(StandInError):
    """A failure that a test asked for."""
