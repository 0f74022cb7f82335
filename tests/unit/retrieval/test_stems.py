"""Stems as the search index makes them."""

from finassist.adapters.sqlite.engine.schema import migrations
from finassist.adapters.sqlite.retrieval.stems import TOKENIZER


def test_stems_are_made_by_the_tokenizer_of_the_index() -> None:
    assert f"tokenize = '{TOKENIZER}'" in "".join(script for _, script in migrations("knowledge"))
