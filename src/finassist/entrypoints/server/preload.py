"""What all workers share: imported once, by the process that they are forked from.

Nothing here starts a thread or leaves a file open. What is imported and loaded before the fork lies in memory
once, until a worker writes to it; the collector leaves it out, whose visits would write to every object.
"""

import gc

import finassist.composition.late_imports  # noqa: F401
from finassist.composition.shipped_files import load_shipped
from finassist.entrypoints.server.serving import share_arena
from finassist.patterns import compile_late

share_arena()  # before a worker's first thread takes an arena of its own
load_shipped()
compile_late()

gc.collect()
gc.freeze()
