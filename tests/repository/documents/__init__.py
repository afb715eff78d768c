"""The pages and the README: what they show can be used."""
