"""Whether clients reach a stack's adapters: hop by hop, from inside the cluster and from this machine."""
