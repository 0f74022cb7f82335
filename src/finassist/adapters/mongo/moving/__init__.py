"""MongoDB as the store that records leave or go to (``application/moving``)."""
