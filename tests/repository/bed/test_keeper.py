"""Each part is started once per run, by the first request, and shared by all workers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dittoinfra.engine.engine_errors import EngineError
from lab.bed import keeper as keeping
from lab.bed.keeper import API, BED, Keeper, kept_api
from lab.bed.kubernetes import KubernetesApi
from lab.bed.process import BedError
from lab.bed.tools import ETCD, KUBE_APISERVER
from tests import ROOT
from tests.unit.engine.programs import script

ASKS = "from lab.bed.keeper import kept_api; api = kept_api(); print(api.url, api.token)"


def test_every_process_of_a_run_uses_the_same_api(kubernetes_api: KubernetesApi) -> None:
    asked = subprocess.run(
        [sys.executable, "-c", ASKS], cwd=ROOT, env=os.environ, capture_output=True, text=True, check=True
    )

    assert asked.stdout.split() == [kubernetes_api.url, kubernetes_api.token]
    with kept_api().client() as client:
        assert client.get("/readyz").is_success


def test_a_part_that_does_not_start_is_tried_once_and_told_to_everybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path / "bin" / ETCD, f"echo x >>'{tmp_path}/starts'; echo 'no space left on device'; exit 3")
    script(tmp_path / "bin" / KUBE_APISERVER, "exit 0")
    monkeypatch.setattr(keeping, "build", lambda *_: tmp_path)

    with Keeper() as keeper:
        monkeypatch.setenv(BED, str(keeper.directory))
        for _ in range(3):
            with pytest.raises(BedError, match="no space left on device"):
                kept_api()
        assert keeper.started() == {}

    assert (tmp_path / "starts").read_text().splitlines() == ["x"]
    assert not keeper.directory.exists()


def test_a_part_that_cannot_be_had_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_go(*_: object) -> Path:
        raise EngineError("go is neither on PATH nor in this Python environment; install it")

    monkeypatch.setattr(keeping, "build", no_go)
    with Keeper() as keeper:
        monkeypatch.setenv(BED, str(keeper.directory))
        with pytest.raises(BedError, match="install it"):
            kept_api()
        with pytest.raises(EngineError):
            keeper.part(API)


def test_a_bed_that_is_not_kept_any_more_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BED, str(tmp_path))

    with pytest.raises(BedError, match=f"no bed is kept in {tmp_path} .* unset {BED}"):
        kept_api()
