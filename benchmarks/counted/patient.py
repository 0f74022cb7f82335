"""``python -m benchmarks.counted.patient serve …``: the service, whose questions wait for their embedding
however slow the counting is; otherwise they would be searched for by their words."""

import sys
from functools import partial

from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
from finassist.composition.factories import models
from finassist.entrypoints.cli.main import main

_SECONDS = 600.0

if __name__ == "__main__":
    setattr(models, MiniLmEmbedder.__name__, partial(MiniLmEmbedder, query_seconds=_SECONDS))
    sys.exit(main())
