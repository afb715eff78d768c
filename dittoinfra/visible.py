"""Text of others, fit to be shown: nothing in it moves a cursor, hides, or reorders what stands beside it."""

_STRANGE = "\N{REPLACEMENT CHARACTER}"


def visible(text: str) -> str:
    """The same text in whole lines, every character that would not show itself replaced by one that does."""
    # Nearly every text is innocent, and a report has thousands.
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character.isprintable() or character == "\n":
        return character
    # Tabs and no-break spaces are innocent, and a carriage return would overwrite its line.
    return " " if character.isspace() else _STRANGE
