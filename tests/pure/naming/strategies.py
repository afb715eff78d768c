"""Hypothesis strategies for names."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

SERVERS = st.from_regex(r"[a-z]([-a-z0-9]{0,50}[a-z0-9])?", fullmatch=True)
TYPES = st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?", fullmatch=True)

# A busy machine is no reason for a test to fail.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
