"""Random histories of one server, run by run, and what must hold in each."""
