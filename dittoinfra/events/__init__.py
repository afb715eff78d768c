"""What the engine did, told with the DittoFS operator's reasons."""
