"""For the supervisor of several workers: removing the metrics of a worker that ended."""

from finassist.adapters.telemetry.prometheus import forget_process

__all__ = ["forget_process"]
