"""The real ExternalDNS, one pass at a time, and the zone that its in-memory provider keeps between them."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from lab.bed.process import BedError

PASS_SECONDS: Final = 60.0
ZONES: Final = "example.com", "example.net", "example.org"
"""The in-memory provider ignores every name outside of its zones."""


class DnsZone:
    """The file in which a pass leaves the records of its provider, and the next one finds them."""

    def __init__(self, file: Path) -> None:
        self.file = file
        file.write_text("{}")

    @property
    def records(self) -> Mapping[str, list[str]]:
        """Every record: `A nfs.example.com` and where it leads."""
        found = {f"{it['recordType']} {it['dnsName']}": sorted(it["targets"]) for it in self._read("records")}
        return dict(sorted(found.items()))

    @property
    def ttls(self) -> Mapping[str, int | None]:
        """The TTL in seconds that each record was asked for with; None where it is the provider's own."""
        return {it["dnsName"]: it.get("recordTTL") for it in self._read("records")}

    @property
    def deleted(self) -> Sequence[str]:
        """Host names of the records that passes have deleted, in order."""
        return self._read("deleted")

    def _read(self, key: str) -> list[Any]:
        return json.loads(self.file.read_text()).get(key) or []


class ExternalDns:
    """One version of ExternalDNS, which looks at the Services of one namespace."""

    def __init__(self, binary: Path, kubeconfig: Path, namespace: str, zone: DnsZone) -> None:
        self._command = (
            str(binary),
            str(zone.file),
            "--source=service",
            "--provider=inmemory",
            *(f"--inmemory-zone={name}" for name in ZONES),
            "--registry=noop",
            # It deletes every record that no Service asks for: what it keeps, it was asked to keep.
            "--policy=sync",
            f"--kubeconfig={kubeconfig}",
            f"--namespace={namespace}",
        )

    def sync(self, *arguments: str) -> None:
        """Make one pass."""
        done = subprocess.run(
            [*self._command, *arguments],
            env={"PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            timeout=PASS_SECONDS,
            check=False,
        )
        if done.returncode:
            raise BedError(f"{self._command[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
