"""The examples run as they are."""

import sys
from pathlib import Path

import pytest

from finassist.config import Settings

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture(autouse=True)
def examples_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    for module in EXAMPLES.glob("*.py"):
        sys.modules.pop(module.stem, None)


async def test_a_script_asks_a_question_and_gets_a_cited_answer(tmp_path: Path) -> None:
    from ask import ask

    answer = await ask("What is an emergency fund?", Settings(data_dir=tmp_path))

    assert "[1]" in answer
    assert "emergency fund" in answer.lower()


async def test_a_script_streams_an_answer(tmp_path: Path) -> None:
    from stream import stream

    pieces = [
        piece async for piece in stream("How does compound interest work?", Settings(data_dir=tmp_path))
    ]

    assert len(pieces) > 10
    assert "interest" in "".join(pieces)


@pytest.mark.engine
async def test_a_script_asks_about_a_statement_and_gets_the_page(tmp_path: Path) -> None:
    from attachments import ask_about_papers

    balance, groceries, terms = [answer async for answer in ask_about_papers(Settings(data_dir=tmp_path))]

    assert "Closing balance on 28 February: 3,167.10 [statement.pdf, page 3]" in balance
    assert "I cannot look at pictures, so I have not seen receipt.jpg." in balance
    assert "-84.35 [statement.pdf, page 1, line 7]" in groceries
    assert "-102.10 [statement.pdf, page 2, line 7]" in groceries
    assert "1 May 2026" in terms


@pytest.mark.engine
async def test_a_script_shows_what_models_are_sent(tmp_path: Path) -> None:
    from attachments import Listener, ask_about_papers, sent_to

    sent = {}
    for sees in (False, True):
        listener = Listener(sees=sees)
        answers = ask_about_papers(
            Settings(data_dir=tmp_path / str(sees), improve_titles=False), language_model=listener
        )
        await anext(answers)
        await answers.aclose()
        sent[sees] = "\n".join(sent_to(listener.request))

    assert "[page 3]\nHarbour Bank - Summary" in sent[False]
    assert "(A picture, which you cannot see.)" in sent[False]
    assert "of application/pdf: statement.pdf]" in sent[True]
    assert "of image/jpeg]" in sent[True]


async def test_a_script_brings_its_own_model(tmp_path: Path) -> None:
    from own_model import ask_parrot

    assert await ask_parrot("What is a bond?", Settings(data_dir=tmp_path)) == "You asked: What is a bond? "
