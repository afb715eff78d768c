"""Whether whoever took a lock still runs, as far as that can be told from here."""

import os
import socket


def is_gone(host: str, pid: int) -> bool:
    """Whether a process was one of this machine's and has ended; never true of another machine's."""
    if host != socket.gethostname():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        # Somebody else's, and there.
        return False
    return False
