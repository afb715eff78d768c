"""A stand-in for the DittoFS API, for tests and demos: real HTTP on loopback, no DittoFS behind it.

It knows the paths that matter to whoever follows adapters, and answers them as version 0.29 does:
the contract tests put the same questions to both. What it leaves out on purpose: HTTP/2, everything
about shares and stores, and the crash of a real server that starts with a stored port above 65535.
"""

from dittoinfra.simulator.adapter import Adapter
from dittoinfra.simulator.script import Request
from dittoinfra.simulator.simulated import SimulatedDittoFS

__all__ = ["Adapter", "Request", "SimulatedDittoFS"]
