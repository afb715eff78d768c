"""Pictures of real terminal sessions, for the README and the documentation."""
