"""Knowledge articles and what a search finds in them (contract section 12)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """A text that answers are taken from. ``as_of`` is the ISO date for which it holds.

    ``quotable`` says that the title is a question and the body its complete answer, to be quoted as a whole;
    ``variants`` are other wordings of that question, which are searched and never shown.
    ``language`` (ISO 639-1) is the one that it is written in.
    """

    id: str
    title: str
    body: str
    category: str | None = None
    jurisdiction: str | None = None
    as_of: str | None = None
    url: str | None = None
    variants: tuple[str, ...] = ()
    quotable: bool = False
    language: str = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage that a search found, or the whole text of a ``quotable`` article.

    ``score`` is 0..1, higher is better, and does not depend on the size of the base, so that one threshold
    (``RAG_MIN_SCORE``) fits all. ``cosine`` says how near it is to the query in meaning, and ``worded`` how
    much of its title or of another wording of that the query has, 0 when they were not compared. ``asked_so``
    says that its title names what the query asks for, and that it or another wording asks nothing else.
    ``nearest`` is the cosine of the query to the nearest of all ways in which the article is asked for, 0
    when none is known, and ``worth`` what it counted for when the first finds were put in order by that
    (``domain/retrieval/hybrid.py``), 0 where they were not.
    """

    article_id: str
    title: str
    url: str | None
    snippet: str
    score: float
    quotable: bool = False
    jurisdiction: str | None = None
    as_of: str | None = None
    cosine: float = 0.0
    worded: float = 0.0
    asked_so: bool = False
    language: str = "en"
    nearest: float = 0.0
    worth: float = 0.0

    @property
    def answer(self) -> str:
        """The first paragraph of the text: the answer of an entry."""
        return self.snippet.partition("\n\n")[0]

    @property
    def details(self) -> str:
        """What follows the answer."""
        return self.snippet.partition("\n\n")[2]
