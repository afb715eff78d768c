"""One scenario, played step by step in a namespace of its own."""

import copy
import json
import re
import secrets
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from google.protobuf.struct_pb2 import Struct

from tests.contract.provider.cluster import Cluster, Manifest
from tests.contract.provider.provider import UNKNOWN, Answer, Provider, Secret, from_struct, to_struct, urn_of
from tests.contract.provider.transcript import (
    answer_view,
    diff_view,
    kept_view,
    managers_view,
    object_view,
    outputs_view,
    scrubbed,
)

HERE = Path(__file__).parent
NAMESPACE, DIRECTORY = "NAMESPACE", "DIRECTORY"
SEED = b"contract" * 4

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class State:
    """What the engine's checkpoint holds for the resource."""

    id: str = ""
    inputs: Struct = field(default_factory=Struct)
    outputs: Struct = field(default_factory=Struct)


class _Loader(yaml.SafeLoader):
    """YAML with `!secret` and `!unknown`."""


_Loader.add_constructor("!secret", lambda _, node: Secret(node.value))
_Loader.add_constructor("!unknown", lambda *_: UNKNOWN)


def play(name: str, where: str, kubeconfig: str) -> Json:
    """Run a scenario and say what happened."""
    namespace, cluster = f"kit-{secrets.token_hex(4)}", Cluster(kubeconfig)
    with tempfile.TemporaryDirectory(prefix="kit-") as directory:
        stage = _Stage(name, namespace, Path(directory), cluster)
        cluster.create(_namespace(namespace), "kit")
        try:
            with Provider(where, {"kubeconfig": kubeconfig} | stage.config, name) as provider:
                steps = stage.run(provider)
        finally:
            stage.clear()
            cluster.close()
    patterns = {re.escape(namespace): NAMESPACE, re.escape(directory): DIRECTORY}
    record: Json = scrubbed({"scenario": name, "idea": stage.idea, "steps": steps}, patterns)
    return record


class _Stage:
    """The program, the engine's state and the cluster between two steps."""

    def __init__(self, name: str, namespace: str, directory: Path, cluster: Cluster) -> None:
        self._name, self._namespace, self._directory, self._cluster = name, namespace, directory, cluster
        scenario = self._load("scenarios", name)
        self.idea: str = scenario["idea"]
        self.config = {key: _text(value) for key, value in scenario.get("config", {}).items()}
        self._steps: list[Any] = scenario["steps"]
        self._program = _merged(self._load("objects", scenario["object"]), scenario.get("with", {}))
        self._urn = urn_of(name, self._program, patch=scenario.get("patch", False))
        self._touched: list[Manifest] = []
        self._seen: Json = {}
        self._state = State()
        self._provider: Provider

    def run(self, provider: Provider) -> list[Json]:
        """Every step, up to one that does not come back."""
        self._provider = provider
        self._check(State())  # makes a provider read the API's schema, which is no step's time
        provider.warnings()
        records: list[Json] = []
        for step in self._steps:
            verb, options = (step, {}) if isinstance(step, str) else next(iter(step.items()))
            if verb == "declare":
                self._program = _merged(self._program, options)
                continue
            records.append(self._step(verb, options))
            if records[-1].get("outcome") == "still waiting":
                provider.cancel()
                break
        return records

    def clear(self) -> None:
        """Leave nothing in the cluster."""
        for manifest in self._touched:
            self._cluster.release(manifest)
        for name in (self._namespace, f"{self._namespace}-b"):
            self._cluster.delete(_namespace(name), wait=False)

    def _step(self, verb: str, options: Json) -> Json:
        self._touched.append(copy.deepcopy(self._program))
        before = self._cluster.get(self._program)
        meanwhile = threading.Thread(target=self._meanwhile, args=(options.get("meanwhile", []),))
        meanwhile.start()
        record: Json = {"step": verb} | self._do(verb, options)
        meanwhile.join()
        after = self._cluster.get(self._program)
        seen: Json = {"live": object_view(after), "managers": managers_view(after)}
        if after is not None and record.get("outputs") == seen["live"]:
            record["outputs"] = "as live"
        record |= {
            key: "as before" if after and value == self._seen.get(key) else value
            for key, value in seen.items()
        }
        self._seen = seen
        record |= {"kept": kept} if (kept := kept_view(before, after)) else {}
        record |= {"warnings": warnings} if (warnings := self._provider.warnings()) else {}
        return record | ({"files": self._files()} if "renderYamlToDirectory" in self.config else {})

    def _do(self, verb: str, options: Json) -> Json:
        preview, action = verb.startswith("preview-"), verb.removeprefix("preview-")
        if action in {"update", "diff", "read", "delete"} and not (self._state.id or "id" in options):
            return {"outcome": "no state"}  # its creation failed: the engine has nothing to ask about
        match action:
            case "create" | "update" | "diff":
                return self._declare(action, preview=preview, timeout=options.get("timeout", 0))
            case "read":
                return self._read(options.get("id"))
            case "delete":
                fields = {"properties": self._state.outputs, "timeout": options.get("timeout", 0)}
                return answer_view(self._ask("Delete", **fields))
            case _:
                self._edit(verb, options)
                return {}

    def _ask(self, method: str, **fields: Any) -> Answer:  # noqa: ANN401  (a request's fields)
        inputs = {"inputs" if method == "Read" else "old_inputs": self._state.inputs}
        return self._provider.ask(method, urn=self._urn, id=self._state.id, **inputs, **fields)

    def _check(self, state: State) -> Answer:
        news = to_struct(self._program, secrets=self._provider.accepts_secrets)
        olds = state.inputs if state.id else None
        return self._provider.ask("Check", urn=self._urn, olds=olds, news=news, randomSeed=SEED)

    def _declare(self, action: str, *, preview: bool, timeout: float) -> Json:
        """What the engine does about a declared resource, from its check to its end."""
        checked = self._check(State() if action == "create" else self._state)
        failures = [failure.reason for failure in checked.response.failures] if checked.response else []
        if checked.response is None or failures:
            return answer_view(checked) | {"outcome": "error", "at": "check", "failures": failures}
        news, olds = checked.response.inputs, self._state.outputs
        if action == "create":
            fields = {"properties": news, "preview": preview, "timeout": timeout}
            return self._written(self._provider.ask("Create", urn=self._urn, **fields), news, preview=preview)
        diff = diff_view(self._ask("Diff", olds=olds, news=news))
        if action == "diff":
            return diff
        answer = self._ask("Update", olds=olds, news=news, preview=preview, timeout=timeout)
        return {"diff": diff} | self._written(answer, news, preview=preview)

    def _written(self, answer: Answer, news: Struct, *, preview: bool) -> Json:
        """The record of a write, and the engine's state after it: a partial failure leaves one too."""
        source = answer.response if answer.response is not None else answer.partial
        if source is None:
            return answer_view(answer)
        made = getattr(source, "id", "")
        if not preview:
            self._state = State(made or self._state.id, news, source.properties)
        return answer_view(answer) | ({"id": made} if made else {}) | outputs_view(source.properties)

    def _read(self, resource_id: str | None) -> Json:
        self._state = State(resource_id) if resource_id else self._state
        answer = self._ask("Read", properties=self._state.outputs)
        source = answer.response if answer.response is not None else answer.partial
        if source is None:
            return answer_view(answer)
        if not source.id:
            return answer_view(answer) | {"gone": True}
        self._state = State(source.id, source.inputs, source.properties)
        found = {"id": source.id, "inputs": from_struct(source.inputs)}
        return answer_view(answer) | found | outputs_view(source.properties)

    def _meanwhile(self, edits: list[Json]) -> None:
        for edit in edits:
            self._edit(*next(iter(edit.items())))

    def _edit(self, verb: str, options: Json) -> None:
        """Something that happens to an object without the provider."""
        manager, manifest = options.get("manager", "somebody"), options.get("object", self._program)
        manifest = self._load("objects", manifest) if isinstance(manifest, str) else manifest
        match verb:
            case "pause":
                time.sleep(options["seconds"])
            case "api-create":
                self._cluster.create(_merged(manifest, options.get("with", {})), manager)
            case "api-patch":
                kind, subresource = options.get("type", "merge"), options.get("subresource", "")
                self._cluster.patch(manifest, manager, options["body"], kind, subresource)
            case "api-delete":
                self._cluster.delete(manifest, wait=True)
            case _:
                raise ValueError(f"no step is called {verb!r}")

    def _load(self, folder: str, name: str) -> Json:
        text = (HERE / folder / f"{name}.yaml").read_text(encoding="utf-8")
        text = text.replace(NAMESPACE, self._namespace).replace(DIRECTORY, str(self._directory))
        loaded: Json = yaml.load(text, _Loader)
        return loaded

    def _files(self) -> Json:
        paths = sorted(path for path in self._directory.rglob("*") if path.is_file())
        return {str(path.relative_to(self._directory)): yaml.safe_load(path.read_text()) for path in paths}


def _merged(base: Any, patch: Any) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    """JSON merge patch: null takes a key away."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    base = base if isinstance(base, dict) else {}
    kept = {key: value for key, value in base.items() if key not in patch}
    return kept | {key: _merged(base.get(key), value) for key, value in patch.items() if value is not None}


def _text(value: object) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _namespace(name: str) -> Manifest:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
