"""Asks every DittoFS server which adapters it serves, and declares what Kubernetes needs for them."""

from pathlib import Path

from dittoinfra.program import run

run(Path(__file__).parent)
