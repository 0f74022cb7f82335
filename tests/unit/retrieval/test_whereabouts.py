"""Which country a message of a conversation is about."""

import pytest

from finassist.domain.conversations.whereabouts import country_about, only_tells_country
from finassist.domain.retrieval.jurisdictions import ELSEWHERE, mentions_in, without_countries

RENT = "how much may the rent rise?"


@pytest.mark.parametrize(
    ("told", "country"),
    [
        ("I live in Graz", "AT"),
        ("we moved from Leeds to Rotterdam last year", "NL"),
        ("I'm from Wales", "GB"),
        ("my flat is in Antwerp", "BE"),
        ("I'm a Norwegian living in Malaga", "ES"),
        ("how is rent taxed in Poland?", "PL"),
        ("my rent is \u20b9 20,000", "IN"),
        ("I live in Karachi", "PK"),
        ("I live in Dhaka", ELSEWHERE),
        ("my sister lives in Denver and I'm in Galway", "IE"),
    ],
)
def test_what_was_told_holds_for_later_messages(told: str, country: str) -> None:
    assert country_about(RENT, [told], None) == country


def test_the_country_told_last_goes_before_earlier_ones_and_before_the_profile() -> None:
    assert country_about(RENT, ["I live in Denver", "sorry, I live in Perth now"], "GB") == "AU"
    assert country_about(RENT, [], "GB") == "GB"


@pytest.mark.parametrize(
    "aside",
    [
        "i was in portugal all month",
        "my brother works in Chicago",
        "our flight to Rome was late",
        "how is it taxed in Spain?",
    ],
)
def test_a_country_that_is_only_touched_is_not_where_somebody_lives(aside: str) -> None:
    assert country_about(RENT, ["I live in Glasgow", aside], None) == "GB"
    assert country_about(RENT, [aside], "GB") == "GB"


def test_a_stay_that_is_over_tells_no_country() -> None:
    assert country_about("the gas bill is odd, i was in portugal all month", [], None) is None
    assert country_about("I was living in Portugal", [], None) == "PT"


def test_a_follow_up_is_about_the_country_that_was_asked_about() -> None:
    assert (
        country_about("and what about it for companies?", ["how are dividends taxed in India?"], "GB") == "IN"
    )


@pytest.mark.parametrize(
    ("text", "earlier", "country"),
    [
        ("it was from Prague to Lisbon", [], "EU"),
        ("our train between Paris and Cologne was late", [], "EU"),
        ("flight from Vancouver to Calgary", [], "CA"),
        ("can I keep the benefit if I go home to Italy?", ["unemployment benefit in France"], "EU"),
        ("can I keep the benefit if I go home to India?", ["unemployment benefit in France"], "IN"),
    ],
)
def test_between_members_of_the_union_its_rules_are_meant(
    text: str, earlier: list[str], country: str
) -> None:
    assert country_about(text, earlier, None) == country


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("I'm in Ireland btw, does that change anything?", True),
        ("we are in Bristol", True),
        ("I'm from Ontario, is it the same there", True),
        ("and in Denmark?", True),
        ("does that matter?", False),
        ("I'm in Bristol, how do I get my deposit back?", False),
        ("my cousin is in Bristol", False),
    ],
)
def test_a_message_may_tell_the_country_of_the_question_before_it_and_no_more(text: str, tells: bool) -> None:
    assert only_tells_country(text) is tells


def test_a_place_that_is_also_a_word_is_one_after_a_word_for_where_and_with_a_capital() -> None:
    assert [each.country for each in mentions_in("I work in Cork and in Nice")] == ["IE", "FR"]
    assert mentions_in("I am reading a nice book in bath towels") == []


def test_a_question_can_be_asked_without_its_countries() -> None:
    assert without_countries("when can I retire in the Netherlands?") == "when can I retire ?"
    assert without_countries("my pay in New York City, in tax") == "my pay , in tax"
