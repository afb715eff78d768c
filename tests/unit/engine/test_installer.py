"""The official installer succeeds, fails or hangs."""

import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from dittoinfra.engine.engine_errors import EngineError
from dittoinfra.engine.installer import install, run_bounded
from dittoinfra.engine.versions import FETCHED_CLI
from lab.bed.credentials import credential
from lab.bed.dittofs import wait_until
from tests.unit.engine.programs import pulumi_saying


@pytest.fixture(autouse=True)
def _dead_proxy(closed_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{closed_port}")


def test_a_proxy_that_refuses_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="Connection refused") as caught:
        install(tmp_path)

    assert "\n" not in str(caught.value)


def test_the_sdk_is_asked_for_the_pinned_version(tmp_path: Path) -> None:
    # The SDK downloads nothing when the version that it is asked for is there already.
    pulumi_saying(tmp_path / "bin" / "pulumi", f"v{FETCHED_CLI}")
    install(tmp_path)

    pulumi_saying(tmp_path / "bin" / "pulumi", "v3.0.0")
    with pytest.raises(EngineError, match="Connection refused"):
        install(tmp_path)


def test_only_its_last_words_are_quoted_and_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROXY_PASSWORD", credential("proxy"))
    url = "'https://me:' + os.environ['PROXY_PASSWORD'] + '@proxy.test/x'"
    talk = f"import os, sys; sys.exit('first\\ncannot fetch ' + {url})"

    with pytest.raises(EngineError) as caught:
        run_bounded([sys.executable, "-c", talk], limit=30)

    assert str(caught.value) == "the official installer ended with 1: cannot fetch https://***@proxy.test/x"


def test_what_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    # The pipe has a writer for as long as the grandchild lives.
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(EngineError, match="did not finish within 1 s"):
        run_bounded(["/bin/sh", "-c", f"(echo up; sleep 600) >'{fifo}' & wait"], limit=1)

    heard: list[bytes] = []

    def has_no_writer() -> bool:
        with suppress(BlockingIOError):
            heard.append(os.read(reader, 16))
        return heard[-1:] == [b""]

    wait_until(has_no_writer)
    os.close(reader)
    assert b"".join(heard) == b"up\n"
