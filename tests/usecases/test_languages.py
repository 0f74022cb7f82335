"""Questions in other languages than that of the articles (docs/retrieval.md, "Other languages")."""

from array import array
from collections.abc import AsyncIterator, Collection, Sequence
from pathlib import Path

import pytest

from finassist.adapters.llm.offline.phrases import phrases_in, texts_in
from finassist.application.chat import ChatMessage
from finassist.application.ports.knowledge import Vector
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.data import shipped
from finassist.domain.chat.events import Done
from finassist.domain.conversations.message import FinishReason, Message
from finassist.domain.knowledge import Article, Hit
from finassist.testing import ScriptedModel
from usecases.conftest import guest_of, opened

LANGUAGES = sorted(shipped("languages/replies"))
ENGLISH_SAID = (phrases_in("en").quoting, phrases_in("en").nearest, phrases_in("en").more)


class NoEntries:
    """``EntriesByLanguage`` without any."""

    async def search(
        self, query: str, *, language: str, countries: Collection[str], limit: int
    ) -> Sequence[Hit]:
        return []


@pytest.fixture
async def offline(settings: Settings) -> AsyncIterator[Finassist]:
    async with opened(settings) as service:
        yield service


@pytest.fixture
async def english(settings: Settings) -> AsyncIterator[Finassist]:
    """A service that has entries in English alone."""
    async with opened(settings, entries_by_language=NoEntries()) as service:
        yield service


async def reply_to(service: Finassist, text: str) -> Message:
    return (await replies_to(service, text))[-1]


async def replies_to(service: Finassist, *texts: str) -> list[Message]:
    """The replies of one conversation."""
    guest = await guest_of(service, "device-1")
    replies: list[Message] = []
    for text in texts:
        known = replies[-1].conversation_id if replies else None
        turn = await service.send_message(guest, ChatMessage(message=text, conversation_id=known))
        ending = await turn.ending()
        assert isinstance(ending, Done)
        replies.append(ending.message)
    return replies


@pytest.mark.parametrize(
    ("question", "language", "title"),
    [
        ("wie hoch sollte der notgroschen sein", "de", "Notgroschen"),
        ("a quel age je peux partir a la retraite", "fr", "retraite"),
        ("como hago un presupuesto", "es", "presupuesto"),
        ("certificados de aforro valem a pena?", "pt", "Certificados de Aforro"),
        ("conviene il conto deposito", "it", "conto deposito"),
        ("पीपीएफ में कितना ब्याज मिलता है", "hi", "PPF"),
        ("ppf me kitna byaj milta hai", "hi-Latn", "PPF"),
    ],
)
async def test_a_question_is_answered_by_an_entry_in_its_language(
    offline: Finassist, question: str, language: str, title: str
) -> None:
    reply = await reply_to(offline, question)
    source, say = reply.sources[0], phrases_in(language)
    assert title in source.title
    assert source.cited
    assert source.url is not None
    assert source.snippet.partition("\n\n")[0] in reply.content
    assert say.stated.partition("{")[0] + source.url in reply.content
    assert say.quoting in reply.content
    assert not any(said in reply.content for said in ENGLISH_SAID)


@pytest.mark.parametrize(
    ("question", "language", "title"),
    [
        ("wie viel notgroschen braucht man so als single", "de", "Notgroschen"),
        ("cuánto guardo cada mes si cobro 1200 euros y vivo de alquiler", "es", "fondo de emergencia"),
        ("मेरी तनख़्वाह 35000 है, हर महीने कितना बचाना चाहिए और कहां लगाऊं?", "hi", "salary"),
    ],
)
async def test_an_entry_clearly_nearer_than_the_next_goes_before_one_in_english(
    offline: Finassist, question: str, language: str, title: str
) -> None:
    reply, texts = await reply_to(offline, question), texts_in(language)
    assert texts is not None
    assert title in reply.sources[0].title
    assert not reply.content.startswith(texts.quoted)
    assert not any(said in reply.content for said in ENGLISH_SAID)


async def test_what_is_said_after_an_answer_is_in_its_language(offline: Finassist) -> None:
    asked = ("Was ist ein Freistellungsauftrag?", "bist du sicher?", "kürzer bitte", "mehr dazu", "danke!")
    first, doubted, shorter, more, thanked = await replies_to(offline, *asked)
    say = phrases_in("de")
    title = first.sources[0].title
    assert doubted.content.startswith(say.source.partition("{")[0])
    assert title in doubted.content
    assert ".11.2026" in doubted.content
    assert shorter.content.startswith(say.in_short.partition("{")[0])
    assert more.content.startswith((say.more, say.no_more))
    assert thanked.content == say.thanks


async def test_a_greeting_is_returned_in_its_language(offline: Finassist) -> None:
    assert (await reply_to(offline, "hola, buenos días")).content == phrases_in("es").greeting


async def test_a_short_message_follows_the_question_before_it(offline: Finassist) -> None:
    _, reply = await replies_to(offline, "Was ist ein Tagesgeldkonto?", "und die Steuern?")
    assert not any(said in reply.content for said in ENGLISH_SAID)
    assert reply.sources


async def test_a_country_that_the_question_names_decides_whose_rules_are_told(offline: Finassist) -> None:
    reply = await reply_to(offline, "Wie viele Urlaubstage habe ich in Österreich?")
    assert all("Deutschland" not in source.title for source in reply.sources)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("que son los cetes y como invierto en ellos", "México"),
        ("wie viel darf ich in die säule 3a einzahlen", "Säule 3a"),
    ],
)
async def test_a_word_that_one_country_alone_has_finds_its_rules_when_home_has_nothing(
    offline: Finassist, question: str, title: str
) -> None:
    reply = await reply_to(offline, question)
    assert title in reply.sources[0].title
    assert reply.finish_reason is FinishReason.STOP


async def test_rules_of_another_country_go_before_those_at_home_only_when_they_are_clearly_meant(
    offline: Finassist,
) -> None:
    reply = await reply_to(offline, "cuanto tengo que pagar por el divorcio")
    assert not any("México" in source.title for source in reply.sources)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("mein kumpel zahlt mir mein geld nicht zurück", "Freund"),
        ("combien je dois laisser sur mon compte courant", "compte courant"),
        ("no me alcanza para ahorrar con mi sueldo y la renta", "ahorro"),
        ("não consigo sair das dívidas do cartão", "cartão"),
        ("guadagno 1400 euro come faccio a risparmiare qualcosa", "risparmi"),
        ("meri emi bounce ho gayi kya karu", "bounce"),
    ],
)
async def test_what_people_ask_first_is_answered_by_an_entry_in_their_language(
    offline: Finassist, question: str, title: str
) -> None:
    reply = await reply_to(offline, question)
    assert title in reply.sources[0].title
    assert reply.finish_reason is FinishReason.STOP
    assert not any(said in reply.content for said in ENGLISH_SAID)


async def test_a_model_that_writes_is_given_the_entries_in_the_language_of_the_question(
    settings: Settings,
) -> None:
    model = ScriptedModel()
    async with opened(settings, language_model=model) as service:
        await reply_to(service, "Was ist der Sparerpauschbetrag?")
    assert "Sparerpauschbetrag" in model.requests[0].references[0].title
    assert "Sparerpauschbetrag" in model.requests[0].system


def test_there_are_texts_in_twelve_languages_and_more() -> None:
    assert len(LANGUAGES) >= 12
    assert texts_in("en") is None
    for language in LANGUAGES:
        texts = texts_in(language)
        assert texts is not None
        assert all((texts.quoted, texts.calculated, texts.near, texts.nothing))
        assert len({texts.quoted, texts.calculated, texts.near, texts.nothing}) == 4


@pytest.mark.parametrize(
    ("question", "language", "term"),
    [
        ("Bir ETF tam olarak nedir ve nasıl çalışır?", "tr", "ETF"),
        ("ETFとは何ですか?", "ja", "ETF"),
    ],
)
async def test_shared_words_lead_to_titles_that_are_suggested(
    offline: Finassist, question: str, language: str, term: str
) -> None:
    reply = await reply_to(offline, question)
    texts = texts_in(language)
    assert texts is not None
    assert reply.content.startswith(texts.near)
    assert reply.finish_reason is FinishReason.FALLBACK
    assert 1 <= len(reply.suggestions) <= 3
    assert all(term in suggestion.title for suggestion in reply.suggestions)
    assert reply.sources == ()


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie viele Planeten hat unser Sonnensystem eigentlich?", "de"),
        ("Quelle est la recette de la quiche lorraine ?", "fr"),
        ("Как мне избавиться от долгов?", "ru"),
        ("我怎样才能还清债务?", "zh"),
    ],
)
async def test_a_question_without_shared_words_is_told_so_in_its_language(
    english: Finassist, question: str, language: str
) -> None:
    reply = await reply_to(english, question)
    texts = texts_in(language)
    assert texts is not None
    assert reply.content == texts.nothing
    assert (reply.finish_reason, reply.suggestions) == (FinishReason.FALLBACK, ())


@pytest.mark.parametrize(
    ("question", "language", "title"),
    [
        ("Wie hoch sollte mein Notgroschen sein?", "de", "emergency fund"),
        ("Lohnt sich ein Bausparvertrag heute überhaupt noch?", "de", "Bausparvertrag"),
        ("C'est quoi la différence entre un PEA et un compte-titres ?", "fr", "PEA"),
        ("¿Conviene comprar o alquilar una casa?", "es", "rent or to buy"),
        ("O que são juros compostos?", "pt", "compound interest"),
        ("Wat is rente op rente?", "nl", "compound interest"),
        ("Co to jest procent składany?", "pl", "compound interest"),
        ("Che cosa vuol dire interesse composto?", "it", "compound interest"),
        ("म्यूचुअल फंड क्या होता है?", "hi", "mutual fund"),
    ],
)
async def test_a_question_that_a_glossary_understands_gets_the_entry_in_english(
    english: Finassist, question: str, language: str, title: str
) -> None:
    reply = await reply_to(english, question)
    texts = texts_in(language)
    assert texts is not None
    assert reply.content.startswith(texts.quoted)
    assert title in reply.sources[0].title


async def test_a_question_that_is_hardly_understood_gets_titles_alone(english: Finassist) -> None:
    reply = await reply_to(english, "Mein Wellensittich pfeift Lieder über Aktien und Schmetterlinge")
    assert reply.sources == ()
    assert reply.finish_reason is FinishReason.FALLBACK


async def test_the_rules_of_another_country_do_not_answer_a_question_in_its_own_language(
    english: Finassist,
) -> None:
    reply = await reply_to(english, "Wie hoch ist das Arbeitslosengeld?")
    assert "Germany" in reply.sources[0].title


async def test_an_english_question_gets_an_english_reply(offline: Finassist) -> None:
    assert (await reply_to(offline, "wtf is an etf")).sources


class Multilingual:
    """An embedder for which texts mean the same when one of these words is in them, in any language."""

    model = "scripted-multilingual"
    meanings = (("mortgage", "hypothek", "hipoteca"), ("pension", "rente", "jubilación"))

    def understands(self, language: str) -> bool:
        return language in {"en", "de", "es"}

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        return [self._vector(text.casefold()) for text in texts]

    async def embed_query(self, text: str) -> Vector:
        return self._vector(text.casefold())

    async def embed_search(self, text: str) -> Vector:
        return await self.embed_query(text)

    async def close(self) -> None:
        """Nothing to close."""

    def _vector(self, text: str) -> Vector:
        found = [float(any(word in text for word in words)) for words in self.meanings]
        length = sum(found) + 0.01
        return array("f", [value / length**0.5 for value in (*found, 0.1)])


ARTICLES = [
    Article(
        id="mortgage", title="What is a mortgage?", body="A mortgage is a loan on a home.", quotable=True
    ),
    Article(id="pension", title="What is a pension?", body="A pension pays in old age.", quotable=True),
    *(Article(id=f"other-{n}", title=f"Topic {n}?", body=f"It is number {n}.") for n in range(200)),
]


@pytest.fixture
async def multilingual(tmp_path: Path) -> AsyncIterator[Finassist]:
    """A service whose embedder understands German and Spanish, too."""
    settings = Settings(data_dir=tmp_path, free_message_threshold=100)
    async with opened(
        settings, embedder=Multilingual(), starter_articles=tuple, entries_by_language=NoEntries()
    ) as service:
        await service.add_articles(ARTICLES)
        await service.embed_articles()
        yield service


@pytest.mark.parametrize(
    ("question", "language", "article"),
    [
        ("Wie funktioniert eine Hypothek auf mein Haus?", "de", "mortgage"),
        ("¿Cómo funciona una hipoteca para mi casa?", "es", "mortgage"),
        ("Wie viel Rente bekomme ich später einmal?", "de", "pension"),
        ("¿Cuánto necesito para mi jubilación?", "es", "pension"),
    ],
)
async def test_a_multilingual_embedder_finds_english_articles_for_other_languages(
    multilingual: Finassist, question: str, language: str, article: str
) -> None:
    reply = await reply_to(multilingual, question)
    assert [source.id for source in reply.sources if source.cited] == [article]
    texts = texts_in(language)
    assert texts is not None
    assert reply.content.startswith(texts.quoted)
    assert reply.finish_reason is FinishReason.STOP


async def test_a_language_that_the_embedder_does_not_understand_is_searched_by_shared_words(
    multilingual: Finassist,
) -> None:
    reply = await reply_to(multilingual, "Yeni bir ev için hangi hypothek alınabilir acaba?")
    assert reply.sources == ()


async def test_a_model_that_writes_is_given_what_is_found_across_languages(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with opened(
        Settings(data_dir=tmp_path),
        embedder=Multilingual(),
        starter_articles=tuple,
        language_model=model,
        entries_by_language=NoEntries(),
    ) as service:
        await service.add_articles(ARTICLES)
        await service.embed_articles()
        await reply_to(service, "Wie funktioniert eine Hypothek auf mein Haus?")
    assert [hit.article_id for hit in model.requests[0].references] == ["mortgage"]


async def test_a_short_follow_up_that_the_glossary_understands_is_about_what_was_asked_before(
    english: Finassist,
) -> None:
    _, reply = await replies_to(english, "¿Qué es un fondo indexado?", "¿y los gastos?")
    assert "fund" in reply.sources[0].title
