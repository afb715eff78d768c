"""The lifecycle of a stack, each scenario with the simulated and the real server, in each version."""

import pytest

# Its assertions are the scenarios' own: a failure must show what was compared.
pytest.register_assert_rewrite("tests.engine.lifecycle.stage")
