"""MongoDB as the store that records leave or go to (``application/operations/moving``)."""
