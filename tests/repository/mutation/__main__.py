"""`python -m tests.mutation`: which small changes to the code go unnoticed by its tests.

mutmut works on a copy in `mutants/` and remembers there what it has found: a second run tries only what the
tests had not noticed, and what has changed since. What is changed and which tests run: `tool.mutmut` in
pyproject.toml.
"""

import argparse
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from tests.repository.mutation.verdicts import Mutant, forget_survivors, mutants

FOLDER = Path("mutants")
LEAST_PERCENT = 95.0
"""Share of the mutants that the tests must notice."""


def main() -> int:
    """Run mutmut, list what the tests did not notice, and say whether it is too much."""
    options = _options()
    if options.fresh:
        shutil.rmtree(FOLDER, ignore_errors=True)
    forget_survivors()
    names = [f"*__mutmut_*{options.tenth}"] if options.tenth is not None else options.names
    command = [str(Path(sys.executable).with_name("mutmut")), "run", "--max-children", str(options.jobs)]
    # On a terminal mutmut shows how far it has come; its thousands of lines are nothing to keep.
    quiet = None if sys.stdout.isatty() else subprocess.PIPE
    run = subprocess.run([*command, *names], stdout=quiet, stderr=subprocess.STDOUT, text=True, check=False)
    if run.returncode:
        _say(f"{run.stdout or ''}\nmutmut broke off with {run.returncode}")
        return 2
    wanted = names or ["*"]
    return _report([mutant for mutant in mutants() if any(fnmatch(mutant.name, name) for name in wanted)])


def _report(tried: Sequence[Mutant]) -> int:
    survivors = [mutant for mutant in tried if not mutant.killed]
    for mutant in survivors:
        _say(mutant.diff())
    total, left = (Counter(str(mutant.path) for mutant in group) for group in (tried, survivors))
    for path, count in sorted(left.items()):
        _say(f"{path}: {total[path]} mutants, {count} survived")
    killed = len(tried) - len(survivors)
    percent = 100 * killed / len(tried) if tried else 0.0
    _say(f"{len(tried)} mutants, {killed} killed ({percent:.1f} %), {len(survivors)} survived")
    return int(percent < LEAST_PERCENT)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.repository.mutation", description=main.__doc__)
    parser.add_argument("names", nargs="*", help="only these mutants, such as 'dittoinfra.decide.brake.*'")
    parser.add_argument("--tenth", type=int, choices=range(10), help="only those whose number ends in this")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs have found")
    parser.add_argument("--jobs", type=int, default=2, help="how many to try side by side (2)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
