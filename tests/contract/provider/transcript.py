"""What is kept of a step, in a form that is the same every time; and where two transcripts part."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.contract.provider.provider import Answer, from_struct

Json = Any
KEPT_FIELDS = ("spec", "data", "stringData", "binaryData", "type", "immutable")
EXTRAS = ("__inputs", "__initialApiVersion", "__fieldManager", "managedFields")
CHANGES = ("unknown", "none", "some")
KINDS = ("ADD", "ADD_REPLACE", "DELETE", "DELETE_REPLACE", "UPDATE", "UPDATE_REPLACE")
SLOW = {"<60 s", "longer"}
MADE_UP = {
    r"pulumi-kubernetes-[0-9a-f]{8}\b": "pulumi-kubernetes-XXXXXXXX",
    r"(?<=revision \")[\w-]+": "REVISION",
    r"https?://\S+": "LINK",
}


def answer_view(answer: Answer) -> dict[str, Json]:
    """How a request ended."""
    view: dict[str, Json] = {"outcome": answer.outcome, "time": answer.time}
    if answer.error is not None:
        view["error"] = answer.error
    return view | ({"reasons": list(answer.partial.reasons)} if answer.partial is not None else {})


def outputs_view(properties: object) -> dict[str, Json]:
    """What a provider returned for the state."""
    outputs = from_struct(properties)
    extras = [key for key in EXTRAS if key in outputs or key in (outputs.get("metadata") or {})]
    return {"outputs": object_view(outputs), "extras": extras}


def diff_view(answer: Answer) -> dict[str, Json]:
    """What a provider made of a change."""
    if (response := answer.response) is None:
        return answer_view(answer)
    return answer_view(answer) | {
        "changes": CHANGES[response.changes],
        "replaces": sorted(response.replaces),
        "deleteBeforeReplace": response.deleteBeforeReplace,
        "diffs": sorted(response.diffs),
        "detailedDiff": {path: KINDS[entry.kind] for path, entry in response.detailedDiff.items()},
    }


def object_view(live: Mapping[str, Json] | None) -> dict[str, Json] | None:
    """An object without what the API makes up anew every time."""
    if live is None:
        return None
    metadata = live.get("metadata") or {}
    names = ("name", "labels", "annotations", "finalizers")
    view: dict[str, Json] = {name: metadata[name] for name in names if metadata.get(name)}
    if metadata.get("ownerReferences"):
        view["ownerReferences"] = [[owner["kind"], owner["name"]] for owner in metadata["ownerReferences"]]
    if "deletionTimestamp" in metadata:
        view["deleting"] = True
    return view | {key: _without_addresses(live[key]) for key in KEPT_FIELDS if key in live}


def managers_view(live: Mapping[str, Json] | None) -> list[list[Json]] | None:
    """Who owns what, two levels deep; status is the controllers' and comes when it comes."""
    if live is None:
        return None
    return sorted(
        [entry["manager"], entry["operation"], _paths(entry.get("fieldsV1") or {})]
        for entry in live["metadata"].get("managedFields") or []
        if "subresource" not in entry
    )


def kept_view(before: Mapping[str, Json] | None, after: Mapping[str, Json] | None) -> dict[str, bool]:
    """Which of the API's own choices outlived the step."""
    if before is None or after is None:
        return {}
    kept = {"uid": before["metadata"]["uid"] == after["metadata"]["uid"]}
    old, new = before.get("spec") or {}, after.get("spec") or {}
    if "clusterIP" in old and "clusterIP" in new:
        kept["clusterIP"] = old["clusterIP"] == new["clusterIP"]
    if both := _node_ports(old).keys() & _node_ports(new).keys():
        kept["nodePorts"] = all(_node_ports(old)[name] == _node_ports(new)[name] for name in both)
    return kept


def scrubbed(value: Json, patterns: Mapping[str, str]) -> Json:
    """A JSON value with the made-up parts of every text replaced by what they are."""
    match value:
        case dict():
            return {scrubbed(key, patterns): scrubbed(entry, patterns) for key, entry in value.items()}
        case list():
            return [scrubbed(entry, patterns) for entry in value]
        case str():
            for pattern, name in {**MADE_UP, **patterns}.items():
                value = re.sub(pattern, name, value)
    return value


def differences(official: Json, other: Json, ignore: frozenset[str], path: str = "") -> Iterator[str]:
    """Every place where two transcripts part, one line each."""
    if isinstance(official, dict) and isinstance(other, dict):
        for key in sorted((official.keys() | other.keys()) - ignore):
            yield from differences(official.get(key), other.get(key), ignore, f"{path}.{key}".lstrip("."))
    elif isinstance(official, list) and isinstance(other, list) and len(official) == len(other):
        for index, (left, right) in enumerate(zip(official, other, strict=True)):
            step = f" {left['step']}" if isinstance(left, dict) and "step" in left else ""
            yield from differences(left, right, ignore, f"{path}[{index}{step}]")
    elif path.endswith(".time"):
        if (official in SLOW) != (other in SLOW):  # short times depend on the machine
            yield f"{path}: official {official}, here {other}"
    elif official != other:
        yield f"{path}: official {_short(official)}, here {_short(other)}"


def _short(value: Json) -> str:
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 300 else f"{text[:300]}…"


def _paths(fields: Mapping[str, Json]) -> list[str]:
    paths = [
        (key[2:], [inner[2:] for inner in below if inner.startswith("f:")]) for key, below in fields.items()
    ]
    return sorted(".".join((key, inner)) if inner else key for key, below in paths for inner in below or [""])


def _without_addresses(spec: Json) -> Json:
    if not isinstance(spec, dict):
        return spec
    gone = {"healthCheckNodePort"} | (
        set() if spec.get("clusterIP") == "None" else {"clusterIP", "clusterIPs"}
    )
    view = {key: value for key, value in spec.items() if key not in gone}
    if isinstance(spec.get("ports"), list):
        view["ports"] = [{key: port[key] for key in port if key != "nodePort"} for port in spec["ports"]]
    return view


def _node_ports(spec: Mapping[str, Json]) -> dict[str, int]:
    return {port.get("name", ""): port["nodePort"] for port in spec.get("ports") or [] if "nodePort" in port}
