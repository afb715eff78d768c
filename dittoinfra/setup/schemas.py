"""`python -m dittoinfra.setup.schemas FOLDER`: write the schemas of what these commands print."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from dittoinfra.setup.documents import AdoptDocument, Document, InitDocument, RenderDocument

DOCUMENTS: Mapping[str, type[Document]] = {
    "adopt": AdoptDocument,
    "init": InitDocument,
    "render": RenderDocument,
}


def schema(command: str) -> str:
    """The JSON Schema of a command's document, as it stands in its file."""
    content = DOCUMENTS[command].model_json_schema(mode="serialization")
    content["title"] = f"dittoinfra {command} --json"
    content["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(content, indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    for each in DOCUMENTS:
        Path(sys.argv[1], f"{each}.schema.json").write_text(schema(each))
