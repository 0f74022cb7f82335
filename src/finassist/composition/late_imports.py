"""Modules that are otherwise imported with the first question, because numpy takes its time."""

import finassist.adapters.embeddings.minilm.encoder
import finassist.adapters.sqlite.retrieval.matrix  # noqa: F401
