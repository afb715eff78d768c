"""One part of the product at a time, with sockets, files and processes of its own."""
