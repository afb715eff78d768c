"""What can be configured, said to people, editors and the engine in the settings' own words."""

from tools.reference.artefacts import artefacts, stale, write

__all__ = ["artefacts", "stale", "write"]
