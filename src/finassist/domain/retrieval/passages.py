"""An article's passages, the pieces of its body that a hit shows, and the sections that are searched."""

import re
from collections.abc import Iterator, Sequence

PASSAGE_MIN_WORDS = 60
PASSAGE_MAX_WORDS = 200
SECTION_MAX_WORDS = 600
"""Most articles are found better as a whole than by passage; a handbook is not."""

_BLANK_LINES = re.compile(r"\n\s*\n")
_HEADING = re.compile(r"#{1,6}\s+")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")


def split_passages(body: str) -> list[str]:
    """Cut a body into passages of 60 to 200 words, at headings and paragraphs where there are any.

    A heading begins a passage as a line of its own, without its ``#``. The last passage may be shorter,
    and a sentence is never cut, however long it is.
    """
    passages: list[str] = []
    current: list[str] = []
    size = 0
    for block, is_heading in _blocks(body):
        words = len(block.split())
        enough = size >= PASSAGE_MIN_WORDS
        if current and ((enough and is_heading) or size + words > PASSAGE_MAX_WORDS):
            passages.append("\n".join(current))
            current, size = [], 0
        current.append(block)
        size += words
    if current:
        passages.append("\n".join(current))
    return passages


def shown_passage(body: str, number: int, *, quotable: bool) -> str:
    """The passage that a hit shows: the whole body of a quotable article, else the one of that number, or the
    first when the best match is no passage but another wording of the title."""
    if quotable:
        return body
    passages = split_passages(body)
    return passages[number if number < len(passages) else 0] if passages else ""


def split_sections(passages: Sequence[str]) -> list[Sequence[str]]:
    """An article's passages in groups of at most 600 words, or of one passage that is longer."""
    sections: list[Sequence[str]] = []
    start = size = 0
    for number, passage in enumerate(passages):
        words = len(passage.split())
        if number > start and size + words > SECTION_MAX_WORDS:
            sections.append(passages[start:number])
            start, size = number, 0
        size += words
    return [*sections, passages[start:]]


def _blocks(body: str) -> Iterator[tuple[str, bool]]:
    """The headings and paragraphs; long paragraphs in pieces that may be put together again."""
    for block in _BLANK_LINES.split(body.strip()):
        heading = _HEADING.match(block)
        if heading:
            line, _, rest = block[heading.end() :].partition("\n")
            yield line.strip(), True
            block = rest.strip()
        if block:
            yield from ((piece, False) for piece in _pieces(block))


def _pieces(paragraph: str) -> Iterator[str]:
    if len(paragraph.split()) <= PASSAGE_MIN_WORDS * 2:
        yield paragraph
        return
    piece: list[str] = []
    size = 0
    for sentence in _SENTENCE_END.split(paragraph):
        words = len(sentence.split())
        if piece and size >= PASSAGE_MIN_WORDS:
            yield " ".join(piece)
            piece, size = [], 0
        piece.append(sentence)
        size += words
    yield " ".join(piece)
