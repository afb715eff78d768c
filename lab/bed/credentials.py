"""Creates and records every credential of a test run, so that the scan at its end can search for them."""

import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Final

LEDGER: Final = "DITTOINFRA_TEST_LEDGER"
"""Names the file that all processes of one run note their credentials in."""

SHORTEST: Final = 8
"""Characters below which a scan would find a credential in texts that know nothing of it."""

_NOBODY_SAYS: Final = "a secret"


def credential(purpose: str) -> str:
    """A new secret, recorded for the scan at the end of the run."""
    return noted(f"{purpose}-{secrets.token_hex(12)}", purpose)


def noted(secret: str, purpose: str = _NOBODY_SAYS) -> str:
    """Record a secret that was created elsewhere, and return it."""
    if len(secret) < SHORTEST:
        raise ValueError(f"the {purpose} is too short to be looked for: take `credential({purpose!r})`")
    ledger = os.environ.get(LEDGER)
    if ledger:
        # pytest names the test that runs; behind a bracket the name may hold anything, this secret included.
        user = re.split(r"\[| \(", os.environ.get("PYTEST_CURRENT_TEST", ""))[0]
        whose = f"{purpose} of {user}" if user else purpose
        # One short write in append mode is whole, whichever process it comes from.
        with Path(ledger).open("a") as file:
            file.write(f"{secret.encode('utf-8', 'surrogateescape').hex()} {whose.encode().hex()}\n")
    return secret


def all_noted(ledger: Path) -> Mapping[str, str]:
    """Every recorded credential, with its purpose."""
    lines = ledger.read_text().splitlines() if ledger.exists() else []
    pairs = [
        [bytes.fromhex(part).decode("utf-8", "surrogateescape") for part in line.split()] for line in lines
    ]
    # Who noted a secret first has made it; the others were handed it.
    return {pair[0]: pair[1] for pair in reversed(pairs)}
