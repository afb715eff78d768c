"""What became of each mutant, as mutmut has written it down."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import walk_mutatable_files
from mutmut.utils.format_utils import orig_function_and_class_names_from_key

KILLED = frozenset({"killed", "timeout"})
"""A test failed, or never came to an end. Whatever else happened to a mutant, nothing has noticed it."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One small change to one function."""

    path: Path
    name: str
    status: str

    @property
    def killed(self) -> bool:
        """Whether a test has noticed it."""
        return self.status in KILLED

    def diff(self) -> str:
        """The lines that changed, under the place where they are."""
        lines = get_diff_for_mutant(self.name, path=self.path).splitlines()[2:]
        changed = "\n".join(f"    {line}" for line in lines if line[:1] in "+-")
        return f"{self.path}:{self._line(lines)}: {self.status} ({self.name.rpartition('.')[2]})\n{changed}"

    def _line(self, diff: list[str]) -> int:
        function, owner = orig_function_and_class_names_from_key(self.name)
        opening = re.match(r"@@ -(\d+)", diff[0])
        assert opening is not None, diff[0]
        before = next(number for number, line in enumerate(diff[1:]) if line[:1] in "+-")
        return _line_of(self.path, function, owner) + int(opening[1]) - 1 + before


def mutants() -> tuple[Mutant, ...]:
    """Every mutant of the last run in this folder."""
    return tuple(_mutants())


def forget_survivors() -> None:
    """Have the next run try again what no test has noticed: there may be new ones."""
    for data in _files():
        for name, exit_code in data.exit_code_by_key.items():
            if status_by_exit_code[exit_code] not in KILLED:
                data.exit_code_by_key[name] = None
        if data.exit_code_by_key:
            data.save()


def _mutants() -> Iterator[Mutant]:
    for data in _files():
        for name, exit_code in data.exit_code_by_key.items():
            yield Mutant(Path(data.path), name, status_by_exit_code[exit_code])


def _files() -> Iterator[SourceFileMutationData]:
    for path in sorted(walk_mutatable_files()):
        data = SourceFileMutationData(path=path)
        data.load()
        yield data


def _line_of(path: Path, function: str, owner: str | None) -> int:
    body = ast.parse(path.read_text()).body
    if owner is not None:
        body = next(node.body for node in body if isinstance(node, ast.ClassDef) and node.name == owner)
    return next(
        node.lineno
        for node in body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == function
    )
