"""`python -m lab.bed.administrator nfs --port 13049`: change an adapter of the server of `make bed`."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

import httpx

_SECONDS = 60.0
"""The server answers a moved port when the adapter has restarted."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Change one adapter, and print it as the server has it now."""
    parser = ArgumentParser(prog="python -m lab.bed.administrator", description=__doc__)
    parser.add_argument("adapter", help="its type: nfs or smb")
    change = parser.add_mutually_exclusive_group(required=True)
    change.add_argument("--port", type=int, help="move it to this port")
    change.add_argument("--enable", dest="enabled", action="store_true", default=None)
    change.add_argument("--disable", dest="enabled", action="store_false")
    options = parser.parse_args(arguments)
    try:
        url, password = (os.environ[name] for name in ("DITTOFS_URL", "DITTOFS_ADMIN_PASSWORD"))
    except KeyError as missing:
        parser.error(f"{missing} is not set; read the env file that `make bed` names first")
    body = {"port": options.port} if options.port else {"enabled": options.enabled}
    try:
        sys.stdout.write(_changed(url, password, options.adapter, body) + "\n")
    except httpx.HTTPError as error:
        sys.stderr.write(f"error: {url}: {error}\n")
        return 1
    return 0


def _changed(url: str, password: str, adapter: str, body: dict[str, object]) -> str:
    with httpx.Client(base_url=f"{url}/api/v1", timeout=_SECONDS, trust_env=False) as client:
        login = client.post("/auth/login", json={"username": "admin", "password": password})
        token = login.raise_for_status().json()["access_token"]
        answer = client.put(f"/adapters/{adapter}", json=body, headers={"Authorization": f"Bearer {token}"})
        found = answer.raise_for_status().json()
    return f"{found['type']}: port {found['port']}, {'enabled' if found['enabled'] else 'disabled'}"


if __name__ == "__main__":
    sys.exit(main())
