"""Embedding a question while its turn is being stored."""

from dataclasses import dataclass

from finassist.application.ports.knowledge import QueryAnticipation
from finassist.application.retrieval.inquiry import Inquiry
from finassist.domain.retrieval.hybrid import asked_for
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.retrieval.queries import is_small_talk, without_sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class AnticipateSearch:
    """Begin to embed what a question will most likely be searched for, so that its search waits for less.

    A later message is first embedded as it is: it may ask nothing.
    """

    query_anticipation: QueryAnticipation | None
    rag_enabled: bool

    def __call__(self, inquiry: Inquiry) -> None:
        if self.query_anticipation is None or not self.rag_enabled or inquiry.language != ENGLISH:
            return
        if is_small_talk(inquiry.classification):
            return
        text = inquiry.text if inquiry.earlier else without_sizes(inquiry.plain_text)
        self.query_anticipation.begin(asked_for(text))
