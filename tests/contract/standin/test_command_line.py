"""`python -m lab.standin`, as a process of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from pulumi import automation as auto

from tests.contract.standin.bench import Bench, service


def test_it_prints_the_environment_serves_and_stops_on_sigterm(
    pulumi_cli: auto.PulumiCommand, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "lab.standin", "--manifests", str(tmp_path / "manifests")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            name, _, value = process.stdout.readline().strip().partition("=")
            bench = Bench(pulumi_cli, tmp_path / "engine", {name: value})
            bench.up(lambda: service(namespace="files"))
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 0
        finally:
            process.kill()

    assert (tmp_path / "manifests/dev/files/service-web.yaml").exists()


def test_a_kubeconfig_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    missing = str(tmp_path / "nowhere")
    command = [sys.executable, "-m", "lab.standin", "--kubeconfig", missing]

    result = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ, timeout=60)

    assert result.returncode == 1
    assert result.stderr == (
        f"stand-in Kubernetes provider: kubeconfig {missing} is not a file; "
        "name an existing file or give its content in kubernetes:kubeconfig (or KUBECONFIG)\n"
    )
