"""The engine's messages as people read them."""

import re

_COLOUR = re.compile(r"<\{%.*?%\}>")


def plain(message: str) -> str:
    """A message without the engine's marks for colours."""
    return _COLOUR.sub("", message).strip()
