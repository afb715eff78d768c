"""The laboratory: servers, a provider and tools that tests, demo and benchmark run the product on."""
