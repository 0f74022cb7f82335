"""What was learnt beforehand of the shipped entries in other languages."""

from dataclasses import replace

import numpy as np
import pytest

from finassist.adapters.data_files.articles import articles_below
from finassist.adapters.languages.entries import SHIPPED
from finassist.adapters.languages.index import Index
from finassist.adapters.languages.learnt import learnt_from

LANGUAGES = ["de", "es", "fr", "hi", "it", "nl", "pl", "pt"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_entries_of_each_language_are_those_that_were_learnt_from(language: str) -> None:
    says = learnt_from(articles_below(SHIPPED / language), language)
    assert says is not None, "run python training/languages.py --learn"
    assert says.dtype == np.float32


def test_nothing_is_known_of_entries_that_differ_by_a_word() -> None:
    first, *others = articles_below(SHIPPED / "it")
    assert learnt_from([replace(first, body=f"{first.body} Fine."), *others], "it") is None


def test_nothing_is_known_of_a_language_without_entries() -> None:
    assert learnt_from(articles_below(SHIPPED / "it"), "sv") is None


@pytest.mark.whole_base
def test_what_was_learnt_is_what_the_entries_teach() -> None:
    articles = articles_below(SHIPPED / "it")
    known = learnt_from(articles, "it")
    taught = Index(articles, "it").says
    assert known is not None
    assert known.shape == taught.shape
    assert np.all(np.abs(known - taught) <= np.abs(taught).max(axis=1, keepdims=True) / 127)
