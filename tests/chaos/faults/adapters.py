"""Lists of adapters in which one of them cannot be believed, and so none is."""

import json

from dittoinfra.model import Answered, Nonsense
from tests.chaos.faults.fault import Fault
from tests.chaos.faults.serving import HEALTHY, answer, api, saying

NO_TYPE = "whose type is no adapter type"
NO_WHOLE_NUMBER = "has a port of nfs that is not a whole number"
NO_PORT = "has a port of nfs outside 1..65535"
SMB, NFS = json.loads(HEALTHY)


def listing(name: str, adapters: object, says: str) -> Fault:
    """A list in which something is wrong."""
    return Fault(name, api(saying(answer(json.dumps(adapters).encode()))), Nonsense, says)


def odd(name: str, says: str, **wrong: object) -> Fault:
    """A list whose nfs adapter has something wrong with it."""
    return listing(name, [SMB, {**NFS, **wrong}], says)


def unnoticed(name: str, adapters: object) -> Fault:
    """A list that is as good as the one before."""
    return Fault(name, api(saying(answer(json.dumps(adapters).encode()))), Answered)


WEBDAV = {"type": "webdav", "port": 8081, "enabled": False, "running": False}

FAULTS = (
    odd("negative-port", f"{NO_PORT}: -5", port=-5),
    odd("port-too-high", f"{NO_PORT}: 65536", port=65536),
    odd("fractional-port", f"{NO_WHOLE_NUMBER}: 2049.5", port=2049.5),
    odd("port-in-quotes", f"{NO_WHOLE_NUMBER}: '12049'", port="12049"),
    odd("string-for-enabled", "has enabled of nfs neither true nor false: 'true'", enabled="true"),
    odd("string-for-disabled", "has enabled of nfs neither true nor false: 'false'", enabled="false"),
    odd("nothing-for-running", "has running of nfs neither true nor false: null", running=None),
    odd("empty-string-for-running", "has running of nfs neither true nor false: ''", running=""),
    odd("empty-type", f"{NO_TYPE}: ''", type=""),
    odd("path-for-a-type", f"{NO_TYPE}: '../nfs'", type="../nfs"),
    odd("type-of-terminal-controls", NO_TYPE, type="nfs\x1b[2J\x1b]0;gone\x07\r\n"),
    odd("type-of-invisible-letters", NO_TYPE, type="nfs\u202e\u200b"),
    odd("type-of-a-hundred-thousand-letters", NO_TYPE, type="n" * 100_000),
    odd("unknown-type-on-its-default-port", "whose default port is not known: 'ftp'", type="ftp", port=0),
    listing("one-type-twice", [SMB, NFS, {**NFS, "port": 1}], "names a type twice: 'nfs'"),
    listing("one-port-twice", [SMB, {**NFS, "port": 12445}], "two running adapters on one port: 12445"),
    listing("one-name-twice", [SMB, NFS, {**NFS, "type": "NFS", "port": 1}], "NFS"),
    listing("missing-key", [SMB, {"type": "nfs", "port": 12049, "enabled": True}], "lacks running of nfs"),
    unnoticed("unknown-type-that-is-disabled", [SMB, NFS, WEBDAV]),
    unnoticed("unknown-keys", [{**NFS, "config": {"deep": [1.5, None]}}, {**SMB, "": ""}]),
    unnoticed("default-port-as-zero", [{**NFS, "port": 0}, {**SMB, "port": 0}]),
)
