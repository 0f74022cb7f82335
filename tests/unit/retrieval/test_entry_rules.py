"""What an editor is told about entries of the knowledge base before they are added."""

from dataclasses import replace

import pytest

from finassist.adapters.data_files.articles import SHIPPED, files_below, read_topics
from finassist.domain.retrieval.entry_rules import Entry, Topic, complaints_about

ANSWER = (
    "A rainy-day pot in the UK is money that you keep apart for costs that you cannot foresee. Many people "
    "begin with one month of spending and build up to three. It lies in an account within reach in a day."
)
GOOD = Entry(question="What is a rainy-day pot?", answer=ANSWER)
SECOND = replace(GOOD, question="How large should a rainy-day pot be?")
THIRD = replace(GOOD, question="Where do I keep a rainy-day pot?")
TOPIC = Topic(
    place="pots.md",
    id="rainy-day-pot",
    name="Rainy-day pots",
    category="EmergencyFund",
    jurisdiction="GB",
    as_of="2026-11-22",
    sources=("https://www.gov.uk/savings",),
    entries=(GOOD, SECOND, THIRD),
)


def rules(entry: Entry = GOOD, *, topic: Topic = TOPIC) -> list[str]:
    """The rules that a topic breaks whose first entry is this one."""
    return [each.rule for each in complaints_about([replace(topic, entries=(entry, SECOND, THIRD))])]


def answering(text: str) -> Entry:
    """An entry whose answer ends with this text."""
    return replace(GOOD, answer=f"{ANSWER} {text}")


def general(text: str) -> list[str]:
    """The rules that an entry breaks that holds everywhere and names no country before this text."""
    entry = replace(GOOD, answer=f"{ANSWER.replace(' in the UK', '')} {text}")
    return rules(entry, topic=replace(TOPIC, jurisdiction="general"))


def test_a_complete_topic_has_no_complaint() -> None:
    assert rules() == []


@pytest.mark.whole_base
def test_every_entry_that_ships_keeps_the_rules() -> None:
    topics = [topic for file in files_below(SHIPPED) for topic in read_topics(file)]
    assert len(topics) >= 937
    assert complaints_about(topics, as_shipped=True) == []


def test_a_complaint_names_the_file_the_entry_and_the_rule() -> None:
    (complaint,) = complaints_about([replace(TOPIC, entries=(replace(GOOD, question="Pots"), SECOND, THIRD))])
    assert (complaint.place, complaint.entry) == ("pots.md", "Pots")
    assert complaint.rule == 'heading does not end with "?"'


@pytest.mark.parametrize("number", [1, 2, 9])
def test_a_topic_has_three_to_eight_entries(number: int) -> None:
    entries = tuple(replace(GOOD, question=f"What is rainy-day pot {each}?") for each in range(number))
    (complaint,) = complaints_about([replace(TOPIC, entries=entries)])
    assert (complaint.entry, complaint.rule) == ("rainy-day-pot", f"has {number} entries, not 3 to 8")


def test_a_text_without_questions_is_asked_for_no_entries() -> None:
    assert complaints_about([replace(TOPIC, entries=())]) == []


def test_an_answer_that_is_too_short_or_too_long_is_named() -> None:
    assert rules(replace(GOOD, answer="It is money in the UK. Keep some.")) == [
        "answer has 8 words, not 30 to 140"
    ]
    long = " ".join(["A pot in the UK has very many words in it."] * 14)
    assert rules(replace(GOOD, answer=long)) == [
        "answer has 154 words, not 30 to 140",
        "answer has 14 sentences, not 2 to 8",
    ]


def test_an_answer_is_one_paragraph() -> None:
    assert rules(replace(GOOD, answer=ANSWER.replace(". ", ".\n\n", 1))) == [
        "answer has more than one paragraph"
    ]


def test_an_answer_does_not_point_to_another_text() -> None:
    assert rules(answering("For the rest see above.")) == ['answer does not stand alone: "see above"']


def test_details_have_a_readable_length_and_no_heading() -> None:
    assert rules(replace(GOOD, details="Three words only.")) == ["details have 3 words, not 15 to 320"]
    assert rules(replace(GOOD, details="## Steps\n\n" + "Put some aside. " * 6)) == [
        "details have a heading of their own"
    ]


@pytest.mark.parametrize(
    "heading", ["How does it work?", "Is this a good idea?", "What happens to them?", "Is it taxed?"]
)
def test_a_heading_names_its_subject(heading: str) -> None:
    assert rules(replace(GOOD, question=heading)) == ["heading does not name its subject"]


@pytest.mark.parametrize(
    "heading", ["What is a 401(k) and how does it work?", "Is it worth paying for an adviser?"]
)
def test_a_pronoun_may_follow_the_subject_or_stand_for_nothing(heading: str) -> None:
    assert rules(replace(GOOD, question=heading)) == []


def test_a_question_stands_once_over_all_files() -> None:
    other = replace(
        TOPIC, place="other.md", id="other", entries=(replace(GOOD, question="what is a Rainy day pot"),)
    )
    found = [each for each in complaints_about([TOPIC, other]) if "twice" in each.rule]
    assert [(each.place, each.rule) for each in found] == [
        ("other.md", 'question stands twice: "what is a Rainy day pot", also in pots.md')
    ]


def test_another_wording_of_one_entry_is_not_the_heading_of_a_second() -> None:
    assert rules(replace(GOOD, variants=(THIRD.question,))) == [
        f'question stands twice: "{THIRD.question}", also in pots.md'
    ]


def test_an_id_stands_once_over_all_files() -> None:
    again = replace(TOPIC, place="again.md", entries=())
    assert [each.rule for each in complaints_about([TOPIC, again])] == ["id stands twice, first in pots.md"]


def test_only_an_entry_that_ships_needs_five_other_wordings() -> None:
    few = replace(TOPIC, entries=(GOOD, SECOND, THIRD))
    assert complaints_about([few]) == []
    shipped = complaints_about([few], as_shipped=True)
    assert {each.rule for each in shipped} == {"has 0 other wordings, not 5 to 10"}
    many = replace(GOOD, variants=tuple(f"pot wording {each}" for each in range(11)))
    assert rules(many) == ["has 11 other wordings, not 0 to 10"]


def test_a_topic_that_ships_has_one_of_the_ten_categories() -> None:
    other = replace(TOPIC, category="Budgeting", entries=())
    assert complaints_about([other]) == []
    [complaint] = complaints_about([other], as_shipped=True)
    assert complaint.rule.startswith("category must be one of AssetAllocation, ")


@pytest.mark.parametrize("jurisdiction", [None, "", "UK", "Britain"])
def test_a_topic_says_where_it_holds(jurisdiction: str | None) -> None:
    found = rules(topic=replace(TOPIC, jurisdiction=jurisdiction))
    assert [rule.partition(" must be ")[0] for rule in found] == ["jurisdiction"]


@pytest.mark.parametrize("as_of", [None, "", "2026", "22/11/2026", "soon"])
def test_a_topic_says_for_which_day_it_holds(as_of: str | None) -> None:
    assert rules(topic=replace(TOPIC, as_of=as_of)) == ["asOf must be a date such as 2026-11-22"]


@pytest.mark.parametrize(
    "source", ["http://www.gov.uk", "www.gov.uk", "https://nowhere", "HM Treasury", "https://[x"]
)
def test_a_source_is_an_https_address(source: str) -> None:
    assert rules(topic=replace(TOPIC, sources=(source,))) == [f"source is not an https address: {source}"]


def test_an_entry_on_one_country_names_it() -> None:
    assert rules(replace(GOOD, answer=ANSWER.replace(" in the UK", ""))) == [
        "neither heading nor answer names a country, and jurisdiction is GB"
    ]


def test_a_general_entry_with_a_currency_names_a_country() -> None:
    assert general("Some start with £200 a month.") == [
        'names a currency ("£200") and no country, and jurisdiction is general'
    ]
    assert general("In Ireland some start with €200 a month.") == []


def test_an_exchange_of_two_currencies_belongs_to_no_country() -> None:
    assert general("At 1.25 you get 125 dollars for 100 pounds.") == []


def test_a_general_entry_with_one_countrys_term_names_that_country() -> None:
    national = replace(TOPIC, id="uk-lisa", name="LISA", place="lisa.md", entries=())
    answer = ANSWER.replace(" in the UK", "") + " A LISA will not do."
    everywhere = replace(
        TOPIC,
        jurisdiction="general",
        entries=(replace(GOOD, answer=answer), replace(SECOND, answer=answer + " In the UK."), THIRD),
    )
    found = complaints_about([national, everywhere])
    assert [(each.entry, each.rule) for each in found] == [
        (GOOD.question, "uses a term of GB (LISA) and names no country")
    ]


def test_a_limit_stands_with_its_year() -> None:
    assert rules(answering("The limit is £20,000 a year.")) == ['a limit ("£20,000") stands without its year']
    assert rules(answering("The limit is £20,000 a year (2026-27).")) == []


@pytest.mark.parametrize("amount", ["AED 16,000", "KSh 500,000", "R46,000", "₦500,000", "₱90,000", "S$8,000"])
def test_a_limit_is_read_in_the_currency_of_each_country_with_entries(amount: str) -> None:
    assert rules(answering(f"The limit is {amount}.")) == [
        f'a limit ("{amount.removeprefix("S")}") stands without its year'
    ]


@pytest.mark.parametrize(
    "text",
    ["Many pots have a limit of about £500.", "With £100 a month it is £1,200.", "Each £1 is covered."],
)
def test_an_example_or_a_unit_is_no_limit_of_a_year(text: str) -> None:
    assert rules(answering(text)) == []


def test_a_result_stands_with_the_figures_that_it_follows_from() -> None:
    assert rules(answering("Renting costs about £283 less.")) == [
        'a result stands without the figures that it follows from: "costs about £283"'
    ]
    assert rules(answering("On 200,000 at 5 % it costs about £833 a month.")) == []


def test_what_fees_take_of_a_result_stands_with_the_growth_that_it_hangs_on() -> None:
    assert rules(answering("One point of fees eats a quarter of the\nresult over 30 years.")) == [
        'a part of a result stands without the growth that it hangs on: "a quarter of the result"'
    ]
    assert rules(answering("At 6 % a year one point takes a quarter of the result in 30 years.")) == []


@pytest.mark.parametrize("text", ["We recommend SuperPot.", "SuperPot® is safe.", "Use the promo code POT."])
def test_nothing_is_recommended(text: str) -> None:
    assert [rule.partition(":")[0] for rule in rules(answering(text))] == ["recommends a product or provider"]


def test_an_address_is_a_governments_or_among_the_sources() -> None:
    assert rules(answering("Look at www.superpot.com first.")) == [
        "address is neither a government's nor among the sources: www.superpot.com"
    ]
    assert rules(answering("Look at irs.gov, service.ato.gov.au and europa.eu first.")) == []
    assert rules(answering("Look at kra.go.ke, ird.govt.nz and cpf.gov.sg first.")) == []
    assert rules(answering("Look at superpot.co.za first.")) == [
        "address is neither a government's nor among the sources: superpot.co.za"
    ]
    with_source = replace(TOPIC, sources=("https://help.superpot.com/pots",))
    assert rules(answering("Look at superpot.com first."), topic=with_source) == []


GERMAN = Entry(
    question="Wie hoch ist der Freibetrag?",
    answer=(
        "Zinsen bleiben bis zum Freibetrag von 1.000 Euro steuerfrei. Dazu braucht die Bank einen Auftrag. "
        "Den Auftrag richtet man online ein, und er gilt bis auf Weiteres. Wer mehrere Banken hat, verteilt "
        "ihn auf diese. Was darüber liegt, wird mit einem festen Satz besteuert."
    ),
)
IN_GERMAN = replace(TOPIC, language="de")


def german(*, answer: str = GERMAN.answer, jurisdiction: str = "DE") -> list[str]:
    """The rules that an entry in German breaks."""
    entry = replace(GERMAN, answer=answer)
    questions = (entry, replace(entry, question="Wo?"), replace(entry, question="Wann?"))
    topic = replace(IN_GERMAN, jurisdiction=jurisdiction, entries=questions)
    return sorted({each.rule for each in complaints_about([topic])})


def test_an_entry_in_another_language_has_the_year_of_a_limit_by_words_of_that_language() -> None:
    assert german() == ['a limit ("1.000 Euro") stands without its year']
    assert german(answer=GERMAN.answer.replace("1.000 Euro", "1.000 Euro (2026)")) == []


def test_an_entry_in_another_language_names_its_country_unless_the_language_is_at_home_there() -> None:
    dated = GERMAN.answer.replace("1.000 Euro", "1.000 Euro (2026)")
    assert german(answer=dated, jurisdiction="general") == []
    assert german(answer=dated, jurisdiction="AT") == [
        "neither heading nor answer names a country, and jurisdiction is AT"
    ]
    assert german(answer=dated.replace("Zinsen", "Zinsen in Österreich"), jurisdiction="AT") == []


def test_a_language_without_rules_is_named() -> None:
    assert [each.rule for each in complaints_about([replace(TOPIC, language="xx")])] == [
        "language must be en or one of de, es, fr, hi, it, nl, pl, pt"
    ]


def test_two_languages_may_ask_the_same() -> None:
    other = replace(TOPIC, id="other-pot", language="it", jurisdiction="general")
    assert not any("stands twice" in each.rule for each in complaints_about([TOPIC, other]))
