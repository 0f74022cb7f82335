"""The composition root: settings choose adapters, adapters fill ports, ports fill use cases."""
