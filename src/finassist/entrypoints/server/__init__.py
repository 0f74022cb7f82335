"""The processes that serve HTTP: workers, their supervisor, logs and metrics."""
