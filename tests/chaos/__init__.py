"""Faults on the wire, random histories and killed processes: no promise may break."""
