"""A stand-in for the DittoFS API, for tests and demos: real HTTP on loopback, no DittoFS behind it.

It knows the paths that matter to whoever follows adapters, and answers them as the version does that it
is told to play: the contract tests put the same questions to both. What it leaves out on purpose: HTTP/2,
everything about shares and stores, and the crash of a server before 0.31 that starts with a stored port
above 65535.
"""

from lab.simulator.adapter import Adapter
from lab.simulator.script import Request
from lab.simulator.simulated import SimulatedDittoFS

__all__ = ["Adapter", "Request", "SimulatedDittoFS"]
