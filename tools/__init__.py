"""Generators of the repository: they write references, schemas, licences and pictures, and check them."""
