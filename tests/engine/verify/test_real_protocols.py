"""The real DittoFS server answers what `verify` asks, in each of its protocols."""

from pathlib import Path

import pytest

from dittoinfra.verify.probe_outcomes import Closed, ExpectedProtocol, Spoken, Unsuitable
from lab.bed.dfs import RealDittoFS
from lab.bed.process import free_ports
from lab.simulator.versions import TESTED, ServerVersion
from tests.dittofs_kinds import DfsBinaries
from tests.unit.verify.loopback import probe

SECONDS = 10.0


@pytest.mark.parametrize("version", TESTED, ids=str)
def test_nfs_smb_mounts_over_udp_and_the_portmapper(
    version: ServerVersion, dfs_binaries: DfsBinaries, tmp_path: Path
) -> None:
    [portmapper] = free_ports(1)
    settings = {"portmapper_enabled": True, "portmapper_port": portmapper, "udp_enabled": True}
    with RealDittoFS(dfs_binaries(version), tmp_path) as dfs:
        assert dfs.ask("PATCH", "/adapters/nfs/settings", settings).is_success
        dfs.disable("nfs")
        dfs.enable("nfs")
        nfs, smb = dfs.port_of("nfs"), dfs.port_of("smb")

        assert probe(nfs, ExpectedProtocol.NFS, timeout=SECONDS) == Spoken("speaks NFS 3 and 4")
        assert probe(nfs, ExpectedProtocol.MOUNT, udp=True, timeout=SECONDS) == Spoken("speaks MOUNT 3")
        # Why MOUNT is asked there: NFS itself is refused over UDP.
        assert probe(nfs, ExpectedProtocol.NFS, udp=True, timeout=SECONDS) == Unsuitable(
            "does not serve this program", "see what the server's nfs settings allow"
        )
        assert probe(smb, ExpectedProtocol.SMB, timeout=SECONDS) == Spoken("speaks SMB 3.1.1")
        assert probe(smb, ExpectedProtocol.NFS, timeout=SECONDS) == Closed()
        assert probe(portmapper, ExpectedProtocol.PORTMAPPER, udp=True, timeout=SECONDS) == Spoken(
            f"sends clients to port {nfs}"
        )
        # As behind a Service whose port is another one than the adapter's.
        assert probe(portmapper, ExpectedProtocol.PORTMAPPER, timeout=SECONDS) == Unsuitable(
            f"sends clients to port {nfs}, which is none of this Service",
            f"set servicePort to {nfs}, or take the portmapper out of `extras`",
        )
