"""`python -m dittoinfra.doctor.schemas FOLDER`: write the schema of what `doctor --json` prints."""

import json
import sys
from pathlib import Path

from dittoinfra.doctor.line import DoctorDocument


def schema() -> str:
    """The JSON Schema of the document, as it stands in its file."""
    content = DoctorDocument.model_json_schema(mode="serialization")
    content["title"] = "dittoinfra doctor --json"
    content["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(content, indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1], "doctor.schema.json").write_text(schema())
