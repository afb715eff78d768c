"""Lets Python's garbage collector come less often; importing this is all it takes.

By default it comes after every 700 new objects. Imports, polls and declarations make many that stay: it would
look through them again and again. To be imported before everything that is large.
"""

import gc
from typing import Final

NEW_OBJECTS: Final = 20_000

# A program that we are a part of may have chosen more, or 0: no collector at all.
if 0 < gc.get_threshold()[0] < NEW_OBJECTS:
    gc.set_threshold(NEW_OBJECTS)
