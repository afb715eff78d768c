"""`python -m dittoinfra.fleet.schemas FOLDER`: write the schemas of what operations print with `--json`."""

import json
import sys
from pathlib import Path

from dittoinfra.fleet.document import FleetDocument
from dittoinfra.fleet.result import Operation


def schema(operation: Operation) -> str:
    """The JSON Schema of one operation's document, as it stands in its file."""
    content = FleetDocument.model_json_schema(by_alias=True, mode="serialization")
    content["title"] = f"dittoinfra {operation} --json"
    content["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    content["properties"]["operation"] = {"const": str(operation), "type": "string"}
    content["$defs"].pop("Operation")
    return json.dumps(content, indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    for each in Operation:
        Path(sys.argv[1], f"{each}.schema.json").write_text(schema(each))
