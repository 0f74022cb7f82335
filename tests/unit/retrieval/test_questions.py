"""What a question leans on, and the topics that a profile shows."""

from datetime import UTC, datetime, timedelta

import pytest

from finassist.adapters.data_files.articles import starter_articles
from finassist.domain.retrieval.definition_questions import defines, term_in_story
from finassist.domain.retrieval.questions import (
    CATEGORY_NAMES,
    Topic,
    asks_about_sum,
    asks_in_words,
    asks_of_something,
    frequent_topics,
    latest_topics,
    leans_on_earlier,
    names_form,
    objects,
    only_thanks,
    refers_back,
    tells_situation,
    told_otherwise,
)
from tables import each_row

NOW = datetime(2026, 3, 1, tzinfo=UTC)
TOPICS = [
    Topic(category, count, NOW + timedelta(minutes=minutes))
    for category, count, minutes in (
        ("Insurance", 1, 70),
        ("Tax_Planning", 9, 10),
        ("Real_Estate", 3, 20),
        ("Mutual_Funds", 3, 40),
        ("EmergencyFund", 2, 50),
        ("AssetAllocation", 2, 60),
    )
]


def test_the_five_latest_topics_come_newest_first() -> None:
    assert [topic.category for topic in latest_topics(TOPICS)] == [
        "Insurance", "AssetAllocation", "EmergencyFund", "Mutual_Funds", "Real_Estate",
    ]  # fmt: skip


def test_the_five_most_frequent_topics_come_most_frequent_first_and_of_equals_the_newer() -> None:
    assert [topic.category for topic in frequent_topics(TOPICS)] == [
        "Tax_Planning", "Mutual_Funds", "Real_Estate", "AssetAllocation", "EmergencyFund",
    ]  # fmt: skip


def test_every_category_of_the_articles_has_a_name() -> None:
    assert {article.category for article in starter_articles()} == set(CATEGORY_NAMES)
    assert latest_topics(TOPICS)[1].display_name == "Asset allocation"


@each_row(
    "text",
    ["and for ten years?", "What about bonds?", "why?", "is it worth it?", "How do I do that?", "what if",
     "Do they pay interest?", "how big should it be?", "How large?", "what are the risks?",
     "how much can I borrow?", "pros and cons?", "can you give me an example?", "explain it simply please"],
)  # fmt: skip
def test_half_a_question_leans_on_what_came_before(text: str) -> None:
    assert leans_on_earlier(text)


@pytest.mark.parametrize(
    "text",
    ["", "What is a bond?", "What is inflation?", "how does a mortgage work", "What are the tax rates?",
     "How much income tax do I pay on a bonus?",
     "Is it wise to put all my savings in one fund?",
     "So my employer offers a pension and I wonder whether I should join it or save by myself"],
)  # fmt: skip
def test_a_whole_question_stands_alone(text: str) -> None:
    assert not leans_on_earlier(text)


@pytest.mark.parametrize(
    ("text", "refers"),
    [
        ("and how is that different from just buying shares", True),
        ("do i have to pay it if i move overseas", True),
        ("for my mother then, she is 68", True),
        ("ok and what about tax when i withdraw", True),
        ("is it legal to pay rent in cash", False),
        ("how do I open a brokerage account", False),
        ("should I sell my house when it loses value", False),
    ],
)
def test_what_names_its_subject_elsewhere_refers_back(text: str, refers: bool) -> None:
    assert refers_back(text) is refers


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("i have two kids, 4 and 7, and a mortgage of 160k", True),
        ("my employer matches 50% up to 6%", True),
        ("i have two kids, what cover do i need", False),
        ("rrsp or tfsa", False),
        ("is it safe?", False),
    ],
)
def test_what_asks_nothing_tells_of_the_writer(text: str, tells: bool) -> None:
    assert tells_situation(text) is tells


@pytest.mark.parametrize(
    ("text", "thanks"),
    [
        ("ok the first one seems fairer. thx", True),
        ("great, thanks a lot!", True),
        ("thanks, how do i open one", False),
        ("thank you letter from the tax office", False),
    ],
)
def test_a_remark_that_ends_with_thanks_asks_nothing(text: str, thanks: bool) -> None:
    assert only_thanks(text) is thanks


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("cheers. does it hurt my score if they're wrong", True),
        ("great. is that per person", True),
        ("cool will do", False),
        ("great is what it is", False),
    ],
)
def test_thanks_do_not_hide_what_is_asked_after_them(text: str, is_asked: bool) -> None:
    assert asks_in_words(text) is is_asked


@pytest.mark.parametrize(
    ("text", "against"),
    [("but he sent me a proof", True), ("but is it safe", False), ("he sent me a proof", False)],
)
def test_what_begins_with_but_and_asks_nothing_objects(text: str, against: bool) -> None:
    assert objects(text) is against


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("what is a tfsa, i just moved to canada", "What happens to my TFSA if I leave Canada?"),
        ("my dad passed away and left me 90k", "My parent is dying: where do I start?"),
        ("my landlord keeps the deposit", "May I keep the deposit of my tenant?"),
    ],
)
def test_a_title_may_be_about_the_opposite_of_what_is_told(text: str, title: str) -> None:
    assert told_otherwise(text, [title]) == [True]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Moved from Lagos to Calgary", "I moved to Canada: how do I rent?"),
        ("i moved here and may leave again", "What happens to my TFSA if I leave Canada?"),
        ("dad is dying and mum died last year", "My parent is dying: where do I start?"),
        ("my landlord says my tenants must go", "May I keep the deposit of my tenant?"),
    ],
)
def test_a_title_on_one_of_two_things_that_are_told_is_about_no_opposite(text: str, title: str) -> None:
    assert told_otherwise(text, [title]) == [False]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("what is a TFSA, i just moved to canada", "tfsa"),
        ("what is an HSA? new job offers one and I have two kids", "hsa"),
        ("stokvel meaning? saw it in an article", "stokvel"),
        ("negative equity?? it says so in the letter", "negative equity"),
        ("What does RRSP stand for, my employer matches 4 percent", "rrsp"),
    ],
)
def test_what_is_asked_for_beside_a_story_is_told(text: str, term: str) -> None:
    assert term_in_story(text) == term


@pytest.mark.parametrize(
    "text",
    [
        "what is a TFSA",
        "what is a TFSA, and how much can i put in",
        "i just moved to canada, what is a TFSA",
        "what is the best way to pay for a car, i have 5k",
    ],
)
def test_a_question_that_asks_more_or_tells_nothing_beside_is_none(text: str) -> None:
    assert not term_in_story(text)


def test_a_title_defines_what_it_names_after_asking_what_it_is() -> None:
    assert defines("What is a 401(k) and how does it work?", "401k")
    assert defines("What are franking credits in Australia?", "franking credits")
    assert not defines("What happens to my TFSA if I leave Canada?", "tfsa")
    assert not defines("What is a TFSA transfer?", "rrsp")


@each_row(
    ("message", "expected"),
    [
        ("should i renovate or move", True),
        ("is it worth fixing my phone or getting a new one", True),
        ("panic selling - why is it bad", True),
        ("where should my spare money go every month", True),
        ("should i go for it", False),
        ("what would you do", False),
        ("help im broke", False),
        ("my stocks are down", False),
    ],
)
def test_a_message_asks_of_something_when_it_names_it(message: str, expected: bool) -> None:
    assert asks_of_something(message) is expected


@each_row(
    ("message", "expected"),
    [
        ("i got 5k what now", True),
        ("where do i put 12,000", True),
        ("i got 5k", False),
        ("what do you do at 5", False),
    ],
)
def test_a_question_about_a_sum_is_told_by_its_number(message: str, expected: bool) -> None:
    assert asks_about_sum(message) is expected


@pytest.mark.parametrize(
    "form",
    "P45 p60 P11D V5C SA302 CT600 p800 W-2 w-4 i-94 K-1 IT-204 it-204 DS-160 T4A "
    "SSA-1099 1099k 1099-K 1099-nec 1099-MISC 1098-T 1040-SR 1040x 990-EZ".split(),
)
def test_the_code_of_a_form_names_it(form: str) -> None:
    assert names_form(f"they sent a {form}, what now")


@pytest.mark.parametrize(
    "text",
    "rs500 rs-500 usd100 eur50 chf200 r500 RS500 2000k 1045 940k 990k 1120k 1040s 1990s 2000s "
    "365-day 500-odd 100-ish 2000-may 1000-a-month top10 "
    "at10 at-10 u16 u-16 k-12 p2p b2b B2C l8r m8 gr8 kev99 jo99 covid-19".split(),
)
def test_sums_times_and_chat_spellings_with_digits_are_no_forms(text: str) -> None:
    assert not names_form(f"it was the {text} for me")
