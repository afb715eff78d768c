"""A plugin on PATH is asked which version it is, as the engine would."""

import sys
import textwrap
from pathlib import Path

from dittoinfra.engine.plugin import plugin_version
from tests.unit.engine.programs import script

PLUGIN = """
    import sys
    from concurrent.futures import ThreadPoolExecutor

    import grpc
    from pulumi.runtime.proto import plugin_pb2, provider_pb2_grpc

    class Plugin(provider_pb2_grpc.ResourceProviderServicer):
        def GetPluginInfo(self, request, context):
            return plugin_pb2.PluginInfo(version="v4.32.0")

    assert len(sys.argv) == 2, "the engine gives its address"
    server = grpc.server(ThreadPoolExecutor(2))
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(Plugin(), server)
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    server.start()
    server.wait_for_termination()
"""


def test_it_says_so_and_is_ended(tmp_path: Path) -> None:
    program = tmp_path / "plugin.py"
    program.write_text(textwrap.dedent(PLUGIN))

    assert plugin_version(script(tmp_path / "plugin", f'exec {sys.executable} {program} "$@"')) == "4.32.0"


def test_what_is_no_plugin_says_nothing(tmp_path: Path) -> None:
    assert plugin_version(script(tmp_path / "plugin", "echo nonsense")) is None
    assert plugin_version(script(tmp_path / "other", "echo 1")) is None
