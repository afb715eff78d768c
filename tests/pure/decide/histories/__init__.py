"""Lives of one server, run after run, and what must hold in every one of them."""
