"""What is around the product: pins, licences, pipelines, generated files, laboratory and benchmark."""
