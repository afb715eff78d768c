"""Following adapters as they change: cheap polls, and an update when there is something to do."""
