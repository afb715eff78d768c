"""`python -m tools.schemas`: writes the schema of everything that is printed for programs.

With `--check` nothing is written, and a file that is not as the code says is named.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

from pydantic.alias_generators import to_camel

from dittoinfra.json_document import Document
from tools.reference.meanings import meanings

FOLDER = Path(__file__).parents[1] / "docs" / "schemas"


def published() -> Mapping[str, type[Document]]:
    """What is documented, by the command or the flag that prints it."""
    from dittoinfra.doctor.check_result import DoctorDocument
    from dittoinfra.reports.events import Event
    from dittoinfra.reports.result_model import Report
    from dittoinfra.reports.status.status_model import (
        AdaptersDocument,
        DriftDocument,
        ExplainDocument,
        HistoryDocument,
        HostsDocument,
        StatusDocument,
    )
    from dittoinfra.reports.verify_document import VerifyDocument
    from dittoinfra.request import Operation
    from dittoinfra.setup.setup_documents import AdoptDocument, InitDocument, RenderDocument
    from dittoinfra.watch.watch_events import WatchEvent

    return {
        **{str(operation): Report for operation in Operation},
        "adapters": AdaptersDocument,
        "adopt": AdoptDocument,
        "doctor": DoctorDocument,
        "drift": DriftDocument,
        "event": Event,
        "explain": ExplainDocument,
        "history": HistoryDocument,
        "hosts": HostsDocument,
        "init": InitDocument,
        "render": RenderDocument,
        "report": Report,
        "status": StatusDocument,
        "verify": VerifyDocument,
        "watch": WatchEvent,
    }


def schema(name: str) -> str:
    """One schema, as its file should be."""
    document = published()[name]
    content = document.model_json_schema(mode="serialization")
    models = {each.__name__: each for each in _parts(document)}
    for title, definition in ((document.__name__, content), *content.get("$defs", {}).items()):
        if title in models and "properties" in definition:
            definition["properties"] = _told(definition["properties"], models[title])
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"dittoinfra/{name}"}
    return json.dumps(head | content, indent=2, ensure_ascii=False) + "\n"


def _parts(annotation: object) -> Iterator[type]:
    """A document or another type, and every class with fields that it is made of."""
    for each in get_args(annotation):
        yield from _parts(each)
    if isinstance(annotation, type) and (issubclass(annotation, Document) or is_dataclass(annotation)):
        yield annotation
        for each in get_type_hints(annotation).values():
            yield from _parts(each)


def _told(properties: Mapping[str, Any], model: type) -> Mapping[str, Any]:
    """The properties of a class with fields, each with the text under its field."""
    texts = {to_camel(name): text for name, text in meanings(model).items()}
    # In the order in which pydantic puts all the others.
    return {
        key: dict(sorted({**value, **({"description": texts[key]} if key in texts else {})}.items()))
        for key, value in properties.items()
    }


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
