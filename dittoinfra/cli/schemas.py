"""`python -m dittoinfra.cli.schemas`: writes the schema of everything that is printed for programs.

With `--check` nothing is written, and a file that is not as the code says is named.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from dittoinfra.document import Document

FOLDER = Path(__file__).parents[2] / "docs" / "schemas"


def published() -> Mapping[str, type[Document]]:
    """What is documented, by the command or the flag that prints it."""
    from dittoinfra.doctor.line import DoctorDocument
    from dittoinfra.events import Event
    from dittoinfra.fleet import Operation
    from dittoinfra.fleet.document import FleetDocument
    from dittoinfra.insight.documents import ExplainDocument, HostsDocument
    from dittoinfra.insight.drift import DriftDocument
    from dittoinfra.insight.views import AdaptersDocument, StatusDocument
    from dittoinfra.reports import Report
    from dittoinfra.setup.documents import AdoptDocument, InitDocument, RenderDocument
    from dittoinfra.watch.events import WatchEvent

    return {
        **{str(operation): FleetDocument for operation in Operation},
        "adapters": AdaptersDocument,
        "adopt": AdoptDocument,
        "doctor": DoctorDocument,
        "drift": DriftDocument,
        "event": Event,
        "explain": ExplainDocument,
        "hosts": HostsDocument,
        "init": InitDocument,
        "render": RenderDocument,
        "report": Report,
        "status": StatusDocument,
        "watch": WatchEvent,
    }


def schema(name: str) -> str:
    """One schema, as its file should be."""
    content = published()[name].model_json_schema(mode="serialization")
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"dittoinfra/{name}"}
    return json.dumps(head | content, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write or check every file."""
    wanted = {FOLDER / f"{name}.schema.json": schema(name) for name in published()}
    if "--check" not in arguments:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for path, content in wanted.items():
            path.write_text(content)
        return 0
    stale = [path for path, content in wanted.items() if not path.exists() or path.read_text() != content]
    for path in stale:
        sys.stderr.write(f"{path} is not as the code says; run `make reference`\n")
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
