"""Work that is counted, not timed: figures that noise does not move."""
