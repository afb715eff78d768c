"""Where the `pulumi` CLI and the parts it needs come from."""
