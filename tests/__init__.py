from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The checkout, with its project file, documents and examples."""
