"""`python -m dittoinfra.insight.schemas`: write the schemas of the documents that `--json` prints."""

import json
from collections.abc import Mapping
from pathlib import Path

from dittoinfra.insight.drift import DriftDocument
from dittoinfra.insight.views import AdaptersDocument, StatusDocument, View

_DOCUMENTS: Mapping[str, type[View]] = {
    "adapters": AdaptersDocument,
    "drift": DriftDocument,
    "status": StatusDocument,
}
_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, str]:
    """Every schema by the name of its file."""
    return {
        f"{name}.schema.json": json.dumps(
            {"$schema": _DRAFT, **document.model_json_schema(mode="serialization")}, indent=2
        )
        + "\n"
        for name, document in _DOCUMENTS.items()
    }


if __name__ == "__main__":
    folder = Path(__file__).parents[2] / "docs" / "schemas"
    folder.mkdir(exist_ok=True)
    for file, content in schemas().items():
        (folder / file).write_text(content)
