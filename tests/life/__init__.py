"""The life of a stack, each scenario with the simulated server and with the real one."""

import pytest

# Its assertions are the scenarios' own: a failure must show what was compared.
pytest.register_assert_rewrite("tests.life.stage")
