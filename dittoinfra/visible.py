"""Makes external text safe to print: it cannot move the cursor, or hide or reorder the text beside it."""

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def visible(text: str) -> str:
    """A text with every invisible character, except ends of lines, replaced by a visible one."""
    # Nearly every text is harmless, and a report has thousands.
    return text if text.isprintable() else "".join(map(_shown, text))


def one_line(text: str, limit: int | None = None) -> str:
    """A visible text on one line, of at most so many characters."""
    line = " ".join(visible(text).split())
    return line if limit is None or len(line) <= limit else f"{line[: limit - 1]}…"


def _shown(character: str) -> str:
    if character.isprintable() or character == "\n":
        return character
    # Tabs and no-break spaces are harmless, and a carriage return would overwrite its line.
    return " " if character.isspace() else _REPLACEMENT


def internal_error(error: Exception) -> str:
    """An unexpected error by its type alone: its text may contain anything, even a password."""
    return f"internal error: {type(error).__name__}; please report it"
