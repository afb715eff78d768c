"""The engine's messages as people read them."""

import re

from dittoinfra.visible import visible

_COLOUR = re.compile(r"<\{%.*?%\}>")


def plain(message: str) -> str:
    """A message without the engine's marks for colours, and without anything that a terminal would obey.

    It may quote a cluster, whose words are those of whoever may write there.
    """
    return visible(_COLOUR.sub("", message)).strip()
