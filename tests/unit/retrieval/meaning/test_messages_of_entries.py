"""Which entries messages find by meaning alone, that the layers for search were not tuned with."""

import numpy as np
import pytest
from numpy.typing import NDArray

from finassist.adapters.data_files.articles import starter_articles
from finassist.adapters.embeddings.shipped import ShippedVectors
from finassist.domain.retrieval.hybrid import asked_for, texts_to_embed
from finassist.domain.retrieval.languages import ENGLISH
from remembered_vectors import VECTORS
from tables import json_lines

Vectors = NDArray[np.float32]


@pytest.mark.whole_base
async def test_a_message_finds_the_entry_that_answers_it_more_often_by_the_layers_for_search() -> None:
    written = [
        (line["text"], {line["entry"]}) for line in json_lines("asked_of_entries/messages_of_entries.jsonl")
    ]
    asked = [
        (line["text"], set(line["entries"])) for line in json_lines("asked_of_entries/answered_by.jsonl")
    ]
    later = [
        (f"{line['earlier'][0]} {line['text']}", set(line["entries"]))
        for line in json_lines("asked_of_entries/later_turns.jsonl")
    ]
    entries = [each for each in starter_articles() if each.quotable and each.language == ENGLISH]
    texts = [texts_to_embed(each.title, each.body, quotable=True)[0] for each in entries]
    vectors = np.array(await ShippedVectors(VECTORS).embed(texts), np.float32)
    titles = [each.title for each in entries]
    for messages, plain_most, tuned_least in (
        (written, 0.36, 0.42),
        (asked, 0.70, 0.72),
        (later, 0.38, 0.38),
    ):
        right = [answers for _, answers in messages]
        plain = [await VECTORS.embed_query(asked_for(text)) for text, _ in messages]
        tuned = [await VECTORS.embed_search(asked_for(text)) for text, _ in messages]
        assert share_right(np.array(plain, np.float32), vectors, titles, right) < plain_most
        assert share_right(np.array(tuned, np.float32), vectors, titles, right) > tuned_least


def share_right(asked: Vectors, vectors: Vectors, titles: list[str], right: list[set[str]]) -> float:
    nearest = np.argmax(asked @ vectors.T, axis=1)
    return float(np.mean([titles[place] in answers for place, answers in zip(nearest, right, strict=True)]))
