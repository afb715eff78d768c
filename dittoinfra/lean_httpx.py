"""httpx without the command line that comes with it.

Where click is installed beside it, its package imports that command line, and rich and pygments for it, which
takes 150 ms of processor time instead of 88. Without click, which dittoinfra does not require, it does not.
Import this module before httpx; where httpx is there already, nothing happens.
"""

import sys
from types import ModuleType

_COMMAND_LINE = "httpx._main"


def _import_without_command_line() -> None:
    if "httpx" in sys.modules:
        return
    stand_in = ModuleType(_COMMAND_LINE)
    vars(stand_in)["main"] = lambda: None
    sys.modules[_COMMAND_LINE] = stand_in
    try:
        import httpx  # noqa: F401 - imported for the modules that use it
    finally:
        # A process that runs it gets the real one.
        del sys.modules[_COMMAND_LINE]


_import_without_command_line()
