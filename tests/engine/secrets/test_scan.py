"""A credential outside the allowed files fails the whole run, and is not printed."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import httpx
import pytest

from dittoinfra.stacks.recorder import Recorder
from lab.bed.arguments import ArgumentWatch
from lab.bed.credentials import LEDGER
from lab.bed.kubernetes import KubernetesApi
from lab.bed.leaks import Search
from lab.bed.objects import dump
from lab.bed.output_capture import OUTPUT, STARTED, capture_output
from lab.bed.scan import Findings, scan_arguments, scan_files, scan_objects
from tests import ROOT

PLANTED = "planted-" + "0123456789abcdef" * 2
"""Noted in no ledger: this run's own scan would rightly find it."""


@pytest.fixture
def search() -> Search:
    return Search({PLANTED: "the planted one"})


@pytest.mark.parametrize(
    "place",
    [
        ".pulumi/stacks/dittoinfra/prod.json",
        ".pulumi/history/dittoinfra/prod/prod-1.history.json",
        "stacks/Pulumi.prod.yaml",
        "plan.json",
        "report.md",
        "report.html",
        "events.jsonl",
        "engine.log",
        "manifests/prod/files/configmap-media.yaml",
    ],
)
def test_a_leak_in_a_file_is_found(tmp_path: Path, search: Search, place: str) -> None:
    path = tmp_path / "root" / place
    path.parent.mkdir(parents=True)
    path.write_text(f"kind: ConfigMap\ndata: {{password: {PLANTED}}}\n")
    found = Findings()

    scan_files(search, [tmp_path / "root"], frozenset(), found)

    [line] = found.lines()
    assert line == (
        f"secrets: LEAK: the planted one, in the clear, in {path}; "
        "keep it out of there, or name the file and the reason in lab/bed/credential_files.py"
    )
    assert found.summary(1).endswith("in 1 files, 0 objects, 0 process arguments: 1 LEAKS")


def test_a_secret_may_hold_it_and_nothing_is_said(tmp_path: Path, search: Search) -> None:
    (tmp_path / "secret-media.yaml").write_text(f"kind: Secret\nstringData: {{password: {PLANTED}}}\n")
    found = Findings()

    scan_files(search, [tmp_path], frozenset(), found)

    assert found.lines() == []
    assert found.summary(1) == (
        "secrets: 1 credentials looked for in 1 files, 0 objects, 0 process arguments: none in the clear"
    )


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("configmaps", {"data": {"config.yaml": f"password: {PLANTED}"}}),
        ("services", {"metadata": {"annotations": {"note": PLANTED}}, "spec": {"ports": [{"port": 80}]}}),
        ("events", {"message": PLANTED, "involvedObject": {}}),
    ],
    ids=["ConfigMap", "Service", "Event"],
)
def test_a_leak_in_an_object_is_found(
    kubernetes_api: KubernetesApi,
    kubernetes_client: httpx.Client,
    search: Search,
    kind: str,
    body: dict[str, object],
) -> None:
    namespace = kubernetes_api.namespace()
    metadata = {"name": "media", "namespace": namespace}
    inner = body.get("metadata", {})
    assert isinstance(inner, dict)
    about = {"involvedObject": metadata} if kind == "events" else {}
    made = {**body, **about, "metadata": {**inner, **metadata}}
    path = f"/api/v1/namespaces/{namespace}/{kind}"
    kubernetes_client.post(path, json=made).raise_for_status()
    secret = {"metadata": {"name": "media"}, "stringData": {"password": PLANTED}}
    kubernetes_client.post(f"/api/v1/namespaces/{namespace}/secrets", json=secret).raise_for_status()
    found = Findings()

    scan_objects(
        search, "api", (each for each in dump(kubernetes_client) if f" {namespace}/" in each[0]), found
    )
    kubernetes_client.delete(f"{path}/media").raise_for_status()

    # The Secret is not even looked at.
    places = {place for place, _ in found.leaks}
    assert places
    assert all(f" {namespace}/media of the Kubernetes api" in place for place in places)
    assert not [place for place in places if place.startswith("Secret")]


def test_an_argument_of_a_process_is_found_while_it_runs_and_afterwards(
    tmp_path: Path, search: Search
) -> None:
    file = tmp_path / "arguments"
    with ArgumentWatch(file):
        # A grandchild, which is not started in this process.
        script = f"cat /dev/stdin {PLANTED} || true"
        child = subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        while not (file.exists() and f'cat /dev/stdin {PLANTED}"' in file.read_text()):
            assert child.poll() is None
        child.communicate()
    found = Findings()

    scan_arguments(search, map(json.loads, file.read_text().splitlines()), found)

    assert {place for place, _ in found.leaks} == {"the arguments of sh", "the arguments of cat"}
    assert PLANTED not in "".join(found.lines())


def test_the_output_of_runs_and_processes_is_captured(tmp_path: Path, search: Search) -> None:
    with capture_output(tmp_path):
        Recorder().report(1, None, f"the server said {PLANTED}")
        command = [sys.executable, "-c", f"# dittoinfra\nprint('{PLANTED[:20]}' + '{PLANTED[20:]}')"]
        subprocess.run(command, capture_output=True, check=True)
        subprocess.run([*command, "--show-secrets"], capture_output=True, check=True)

    said = (tmp_path / OUTPUT).read_text()
    assert said.count(PLANTED) == 2
    assert (tmp_path / STARTED).read_text().count("# dittoinfra") == 2


CONFTEST = """
    import os
    from pathlib import Path
    from lab.bed.scan import SecretScan

    def pytest_configure(config):
        if not hasattr(config, "workerinput"):
            parts = Path(os.environ["PARTS"])
            config.pluginmanager.register(SecretScan(parts / "ledger", parts, dict))
"""
HEAD = (
    "import logging, os, subprocess\nfrom pathlib import Path\nfrom lab.bed.credentials import credential\n"
)
TESTS = {
    "nothing": "pass",
    "a file": "(tmp_path / 'state.json').write_text(secret)",
    "a failure": "raise RuntimeError(secret)",
    "an output": "print(secret)",
    "a warning of the log": "logging.getLogger().warning(secret)",
    "a process": (
        "child = subprocess.Popen(['sh', '-c', 'read line', secret], stdin=subprocess.PIPE)\n"
        "while secret not in Path(os.environ['PARTS'], 'arguments.jsonl').read_text(): pass\n"
        "child.communicate()"
    ),
}


@pytest.mark.parametrize(("leaking", "workers"), [*((each, "0") for each in TESTS), ("an output", "1")])
def test_a_whole_run_fails_by_a_leak(tmp_path: Path, leaking: str, workers: str) -> None:
    body = f"secret = credential('nested')\n{TESTS[leaking]}"
    test = f"{HEAD}def test_it(tmp_path):\n{textwrap.indent(body, '    ')}\n"
    (tmp_path / "conftest.py").write_text(textwrap.dedent(CONFTEST))
    (tmp_path / "test_it.py").write_text(test)
    parts = tmp_path / "parts"
    parts.mkdir()

    environment = {**os.environ, "PARTS": str(parts), LEDGER: str(parts / "ledger"), "PYTHONPATH": str(ROOT)}
    options = f"-q -n {workers} -p no:cacheprovider --basetemp={tmp_path / 'base'} --rootdir=."
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options.split(), "test_it.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    if leaking == "nothing":
        assert done.returncode == 0, done.stdout
        assert "secrets: 1 credentials looked for in " in done.stdout
        assert "process arguments: none in the clear" in done.stdout
    else:
        assert done.returncode == 1, done.stdout
        assert "secrets: LEAK: nested of test_it.py::test_it, in the clear, in " in done.stdout
        assert "1 LEAKS" in done.stdout
