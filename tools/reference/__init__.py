"""The reference of the settings for people, editors and the engine, generated from their docstrings."""

from tools.reference.artefacts import artefacts, stale, write

__all__ = ["artefacts", "stale", "write"]
