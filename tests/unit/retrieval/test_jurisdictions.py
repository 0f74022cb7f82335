"""Whose rules an entry tells, and whose hold for a user."""

from dataclasses import replace

import pytest

from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.jurisdictions import (
    ELSEWHERE,
    answering_for,
    countries_meant,
    countries_named,
    country_of,
    country_of_language,
    holds_in,
    in_order_for,
    is_foreign,
    name_of,
)
from tables import each_row


def hit(jurisdiction: str | None, score: float) -> Hit:
    title = f"{jurisdiction} {score}"
    return Hit(
        article_id=title, title=title, url=None, snippet="It is.", score=score, jurisdiction=jurisdiction
    )


@each_row(
    ("answer", "country"),
    [
        ("Germany", "DE"), ("deutschland ", "DE"), ("UK", "GB"), ("the  United States.", "US"),
        ("U.S.A.", "US"),
        ("Lyon, France", "FR"), ("Abu Dhabi, UAE", "AE"), ("the Philippines", "PH"), ("Kenyan", "KE"),
        ("Singapore", "SG"), ("South Africa", "ZA"), ("Naija", "NG"), ("Aotearoa", "NZ"),
        ("Bahrain", ELSEWHERE), ("India", "IN"), ("भारत", "IN"), ("Narnia", ELSEWHERE),
        ("", None), (" ", None),
    ],
)  # fmt: skip
def test_a_country_is_known_by_its_names(answer: str, country: str | None) -> None:
    assert country_of(answer) == country


@pytest.mark.parametrize(
    ("tag", "country"),
    [("en", None), ("en-GB", "GB"), ("de_at", "AT"), ("zh-Hant-TW", "TW"), ("es-419", None)],
)
def test_the_region_of_a_language_is_a_country(tag: str, country: str | None) -> None:
    assert country_of_language(tag) == country


def test_the_rules_of_the_union_hold_in_its_members() -> None:
    assert not is_foreign("EU", "DE")
    assert is_foreign("EU", "GB")
    assert is_foreign("US", "DE")
    assert not is_foreign("general", "DE")
    assert not is_foreign(None, ELSEWHERE)
    assert is_foreign("US", ELSEWHERE)
    assert not is_foreign("US", None)
    assert name_of("US") == "the United States"


def test_of_hits_that_are_close_those_of_the_own_country_come_first() -> None:
    hits = [hit("US", 0.98), hit("general", 0.95), hit("DE", 0.9), hit("DE", 0.5)]
    assert [each.jurisdiction for each in in_order_for(hits, "DE", "how is it taxed")] == [
        "DE", "general", "US", "DE",
    ]  # fmt: skip
    assert [each.score for each in in_order_for(hits, "GB", "how is it taxed")] == [0.95, 0.98, 0.9, 0.5]
    assert [each.score for each in in_order_for(hits, None, "how is it taxed")] == [0.95, 0.98, 0.9, 0.5]
    assert in_order_for(hits, None, "how does the US tax it") == hits
    assert in_order_for([], "DE", "how is it taxed") == []


@pytest.mark.parametrize("question", ["how is it taxed in the US?", "tax in india", "British tax"])
def test_a_question_that_names_a_country_is_about_that_one(question: str) -> None:
    hits = [hit("US", 0.98), hit("DE", 0.97)]
    assert in_order_for(hits, "DE", question) == hits


def test_a_general_entry_gives_way_to_one_that_fits_nearly_as_well_alone() -> None:
    assert [each.jurisdiction for each in in_order_for([hit("general", 1), hit("DE", 0.9)], "DE", "tax")] == [
        "general", "DE",
    ]  # fmt: skip
    assert in_order_for([hit("general", 1), hit("DE", 0.98)], "DE", "tax")[0].jurisdiction == "DE"


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("how is gratuity calculated in Bahrain", {ELSEWHERE}),
        ("how is gratuity calculated in the UAE", {"AE"}),
        ("Dubai rent rise", {"AE"}),
        ("kiwisaver nz", {"NZ"}),
        ("Nigerian in Niger", {"NG", ELSEWHERE}),
        ("Bulgaria flat tax for a freelancer", {"BG"}),
        ("I moved from south africa to the uk", {"ZA", "GB"}),
        ("I moved from kenya to uganda", {"KE", ELSEWHERE}),
        ("how does an ISA work", set()),
        ("tell us about bonds", set()),
    ],
)
def test_the_countries_that_a_question_names_are_read(question: str, named: set[str]) -> None:
    assert countries_named(question) == named


@pytest.mark.parametrize(
    ("jurisdiction", "named", "holds"),
    [
        ("IN", {ELSEWHERE}, False),
        ("general", {ELSEWHERE}, True),
        ("GB", {ELSEWHERE, "GB"}, True),
        ("EU", {"DE"}, True),
        ("DE", {"EU"}, True),
        ("US", {"GB"}, False),
        ("US", set(), True),
    ],
)
def test_an_entry_holds_in_a_country_that_is_named_or_anywhere(
    jurisdiction: str, named: set[str], holds: bool
) -> None:
    assert holds_in(jurisdiction, named) is holds


def entry(title: str, jurisdiction: str) -> Hit:
    return replace(hit(jurisdiction, 0.9), title=title)


@pytest.mark.parametrize(
    ("question", "country", "answers"),
    [
        ("what deposit may a landlord ask", None, True),
        ("what deposit may a landlord ask", "CA", True),
        ("what deposit may a landlord ask", "IE", False),
        ("what deposit may a landlord ask in germany", "CA", False),
        ("my flat is in berlin, what deposit may the landlord ask", "CA", False),
        ("what deposit may a landlord ask, rent is 900 \u20b9", "CA", False),
        ("what deposit may a landlord ask in canada", "IE", True),
    ],
)
def test_rules_answer_for_the_country_that_is_meant_or_else_the_users(
    question: str, country: str | None, answers: bool
) -> None:
    rules = entry("What deposit can a landlord ask for in Canada?", "CA")
    everywhere = entry("What deposit may a landlord ask?", "general")
    expected = [rules, everywhere] if answers else [everywhere]
    assert answering_for([rules, everywhere], question, country) == expected


def test_who_asks_about_a_thing_by_a_name_that_one_country_has_gets_its_rules() -> None:
    rules = entry("What is the QRX plan and how does it work?", "CA")
    other = entry("What is a Junior ISA?", "GB")
    assert rules in answering_for([rules, other], "what is the qrx", "GB")
    assert rules not in answering_for([rules, other], "how do I save for a child", "GB")
    assert rules not in answering_for([rules, entry("QRX or Junior ISA?", "GB")], "what is the qrx", "GB")


@pytest.mark.parametrize(
    ("text", "language", "meant"),
    [
        ("o que é o IRS jovem", "pt", []),
        ("what does the IRS want", "en", ["US"]),
        ("como sair do serasa", "pt", ["BR"]),
        ("pago IRPF?", "es", ["ES"]),
        ("IRS nos Estados Unidos", "pt", ["US"]),
        ("they say I owe 300 quid", "en", ["GB"]),
        ("what is a payment on account", "en", ["GB"]),
        ("can I share the rent tax credit", "en", ["IE"]),
        ("where do I find my group certificate", "en", ["AU"]),
        ("what is the limit of working for families", "en", ["NZ"]),
        ("is a sip better than an FD", "en", ["IN"]),
    ],
)
def test_an_office_tells_of_a_country_where_the_language_is_spoken(
    text: str, language: str, meant: list[str]
) -> None:
    assert countries_meant(text, language) == meant
