"""What decides and names: no process, no network, covered to the last branch."""
