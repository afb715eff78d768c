"""`python -m dittoinfra.cli.schemas`: writes the schema of everything that is printed for programs.

With `--check` nothing is written, and a file that is not as the code says is named.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel

FOLDER = Path(__file__).parents[2] / "docs" / "schemas"


def published() -> Mapping[str, type[BaseModel]]:
    """What is documented, by the name of its file."""
    from dittoinfra.events import Event
    from dittoinfra.reports import Report

    return {"event": Event, "report": Report}


def schema(name: str, model: type[BaseModel]) -> str:
    """One schema, as its file should be."""
    content = model.model_json_schema(by_alias=True, mode="serialization")
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"dittoinfra/{name}"}
    return json.dumps(head | content, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write or check every file."""
    stale = 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, model in published().items():
        path, wanted = FOLDER / f"{name}.schema.json", schema(name, model)
        if "--check" not in arguments:
            path.write_text(wanted)
        elif not path.exists() or path.read_text() != wanted:
            sys.stderr.write(f"{path} is not as the code says; run python -m dittoinfra.cli.schemas\n")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
