"""A policy pack for DittoFS adapters: pure rules, and `pack`, which answers the engine by them."""
