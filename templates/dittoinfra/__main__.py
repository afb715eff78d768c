from pathlib import Path

from dittoinfra.program import run

run(Path(__file__).parent)
