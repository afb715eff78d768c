"""What stands between a project and its next run, each with what to do about it."""
