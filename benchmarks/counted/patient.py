"""``python -m benchmarks.counted.patient serve …``: the service, with time limits that slow counting does not
reach. Otherwise questions would be searched for by their words alone, and turns be taken for abandoned."""

import sys
from functools import partial

from finassist.domain.conversations import message

_SECONDS = 600

if __name__ == "__main__":
    message.LEASE_SECONDS = _SECONDS

    # Others take this constant when they are imported.
    from finassist.adapters.embeddings.minilm.embedder import MiniLmEmbedder
    from finassist.composition.factories import models
    from finassist.entrypoints.cli.main import main

    setattr(models, MiniLmEmbedder.__name__, partial(MiniLmEmbedder, query_seconds=float(_SECONDS)))
    sys.exit(main())
