"""Answers of a guided start that was left before its end, kept beside the stacks' files. Never a secret."""

import json
from contextlib import suppress
from pathlib import Path

from dittoinfra.setup.questionnaire import SetupAnswers

_NAME = ".init-draft.json"


class Draft:
    """The one draft of a project."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / _NAME

    def load(self) -> SetupAnswers:
        """What was answered; nothing where there is no draft, or none that can be read."""
        try:
            content = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        if not isinstance(content, dict):
            return {}
        return {key: value for key, value in content.items() if isinstance(value, str)}

    def save(self, answers: SetupAnswers) -> None:
        """Keep the answers; where that cannot be done, there is no draft, and nothing else is lost."""
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(json.dumps(answers, indent=2) + "\n", encoding="utf-8")

    def discard(self) -> None:
        """It is finished, or not wanted."""
        with suppress(OSError):
            self._file.unlink()
