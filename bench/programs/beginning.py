"""This project's program from its first line to its first poll, in front of an engine that answers at once.

`python -m bench.programs.beginning URL` prints when it began, asked, waited and heard, on the clock that all
processes of a machine share.
"""

import time

BEGAN = time.monotonic()

import json  # noqa: E402 - the clock comes first
import os  # noqa: E402 - the clock comes first
import sys  # noqa: E402 - the clock comes first
from pathlib import Path  # noqa: E402 - the clock comes first
from typing import Any  # noqa: E402 - the clock comes first

import pulumi  # noqa: E402 - the clock comes first

from bench.programs.timed import Times, take_times  # noqa: E402 - the clock comes first
from bench.stage import block  # noqa: E402 - the clock comes first
from dittoinfra.program import run  # noqa: E402 - the clock comes first


class Engine(pulumi.runtime.Mocks):
    """Holds nothing, and takes everything."""

    def call(self, args: pulumi.runtime.MockCallArgs) -> tuple[dict[str, Any], list[tuple[str, str]]]:
        """Every question is about the state."""
        del args
        return {"outputs": {}}, []

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        """Every object is made as it was declared."""
        return f"{args.name}-id", dict(args.inputs)


def main() -> None:
    """Run the whole program once."""
    config = {
        "dittoinfra:servers": json.dumps([block(0, sys.argv[1])]),
        "kubernetes:renderYamlToDirectory": "rendered",
    }
    pulumi.runtime.set_mocks(Engine(), project="dittoinfra", stack="beginning", preview=True)
    pulumi.runtime.set_all_config(
        {**config, "dittoinfra:passwords": json.dumps({"*": "any"})}, ["dittoinfra:passwords"]
    )
    times = Times(BEGAN)
    take_times(times)
    run(Path.cwd())
    sys.stdout.write(json.dumps(times.document()) + "\n")
    sys.stdout.flush()
    # What was declared is not read, and the mock's own tasks are not waited for.
    os._exit(0)


if __name__ == "__main__":
    main()
