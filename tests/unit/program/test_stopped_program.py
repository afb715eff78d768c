"""How a plain `pulumi up` meets a run that stops: by the error that the engine shows without a traceback."""

from pathlib import Path

import pulumi
import pytest

from dittoinfra import program
from dittoinfra.program import engine_run
from dittoinfra.program.run_errors import RunStopped


def test_every_reason_is_a_line_of_the_engine_s_own_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(root: Path) -> None:
        raise RunStopped([f"{root} is not ready", "nor is its server"])

    monkeypatch.setattr(engine_run, "run", stop)

    with pytest.raises(pulumi.RunError) as caught:
        program.run(tmp_path)

    assert str(caught.value) == f"{tmp_path} is not ready\nnor is its server"
    assert caught.value.__suppress_context__
