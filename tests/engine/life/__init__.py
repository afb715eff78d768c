"""The life of a stack, each scenario with the simulated server and with the real one, in each version."""

import pytest

# Its assertions are the scenarios' own: a failure must show what was compared.
pytest.register_assert_rewrite("tests.engine.life.stage")
