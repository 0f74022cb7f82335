"""What the supervisor of several workers does with the figures of one that ended."""

from finassist.adapters.telemetry.prometheus import forget_process

__all__ = ["forget_process"]
