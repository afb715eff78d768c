"""The options of an operation: the provider's configuration and the request's own."""

from collections.abc import Callable
from dataclasses import dataclass, field

from lab.standin.annotations import TIMEOUT_SECONDS, annotation
from lab.standin.properties import Properties

DEFAULT_TIMEOUT_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Settings:
    """The part of a provider's configuration that changes its behaviour, by official names."""

    upsert_existing_objects: bool = False
    """Whether a creation applies over an object that is there."""
    enable_patch_force: bool = False
    """Whether fields of other managers are taken from them."""
    enable_config_map_mutable: bool = False
    enable_secret_mutable: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    """The options of one operation."""

    manager: str
    """The field manager that the resource has for life."""
    settings: Settings = field(default_factory=Settings)
    timeout: float = 0.0
    """The resource's own time limit in seconds; zero where the program sets none."""
    ignored: tuple[str, ...] = ()
    """Property paths whose changes the program wants ignored."""
    tell: Callable[[str], None] = lambda _: None
    """Shows a warning to the user."""
    interrupted: Callable[[], bool] = lambda: False
    """Whether the operation was cancelled."""

    def wait_seconds(self, declared: Properties) -> float:
        """How long to wait: the resource's timeout, the annotation's, or ten minutes."""
        if self.timeout:
            return float(int(self.timeout))
        written = annotation(declared, TIMEOUT_SECONDS)
        return float(written) if written.lstrip("+-").isdecimal() else DEFAULT_TIMEOUT_SECONDS
