"""What is said to people who need help, in six languages."""

import pytest

from finassist.adapters.data_files.help_texts import help_texts
from finassist.domain.retrieval.jurisdictions import countries_meant
from finassist.domain.safety import EMERGENCIES, Concern, HelpTexts, Sign
from tables import each_row

LANGUAGES = ("de", "en", "es", "fr", "hi", "pt")


@pytest.fixture(scope="module")
def texts() -> HelpTexts:
    return help_texts()


def test_the_texts_exist_in_the_languages_that_the_classifier_understands(texts: HelpTexts) -> None:
    assert sorted(texts.languages) == sorted(LANGUAGES)
    for spoken in texts.languages.values():
        assert set(spoken.texts) == set(Concern)
        assert set(spoken.signs) == set(Sign)


@each_row("language", LANGUAGES)
@each_row("concern", Concern)
def test_each_text_opens_kindly_says_what_to_do_and_where_to_turn(
    texts: HelpTexts, language: str, concern: Concern
) -> None:
    text = texts.languages[language].texts[concern]
    said = texts.help_with(concern, language=language).text
    assert said.startswith(text.unsure.strip() or text.opening.strip())
    assert all(step in said for step in text.steps)
    assert concern is Concern.SELF_HARM or len(text.steps) >= 3
    spoken = texts.languages[language]
    lines = [text.places[code] for code in spoken.countries if code in text.places]
    asks = bool(spoken.headings.country) and concern not in EMERGENCIES
    assert spoken.headings.country in said if asks else all(line in said for line in lines)
    assert len(said) < 2200


@pytest.mark.parametrize("concern", [each for each in Concern if each not in EMERGENCIES])
def test_no_lines_of_six_countries_are_given_where_none_is_named(texts: HelpTexts, concern: Concern) -> None:
    said = texts.help_with(concern).text
    assert not any(place in said for place in ("USA:", "UK:", "India:", "Australia:", "Canada:", "Ireland:"))
    assert "In most countries" in said
    assert "- Tell me your country" in said
    assert "Tell me your country" not in texts.help_with(concern, countries=["IE"]).text


@pytest.mark.parametrize("concern", EMERGENCIES)
def test_nobody_in_an_emergency_is_asked_for_the_country_first(texts: HelpTexts, concern: Concern) -> None:
    said = texts.help_with(concern).text
    assert all(place in said for place in ("USA:", "UK:", "India:", "Australia:"))
    assert "Tell me your country" not in said


@each_row("concern", Concern)
def test_the_help_of_the_country_where_a_user_lives_is_given_where_none_is_named(
    texts: HelpTexts, concern: Concern
) -> None:
    at_home, named = texts.help_with(concern).for_user_in("GB"), texts.help_with(concern, countries=["GB"])
    elsewhere = f"\n- {texts.languages['en'].texts[concern].elsewhere}"
    assert at_home.text.replace(elsewhere, "") == named.text
    assert (elsewhere in at_home.text) == (concern in EMERGENCIES)
    assert at_home.for_user_in("US") == at_home
    assert texts.help_with(concern).for_user_in(None) == texts.help_with(concern)


@each_row("language", LANGUAGES)
@pytest.mark.parametrize(
    "concern", [Concern.DEBT, Concern.JOB_LOSS, Concern.SCAM, Concern.FRAUD, Concern.HOME]
)
def test_below_an_entry_that_answers_one_paragraph_is_left(
    texts: HelpTexts, language: str, concern: Concern
) -> None:
    spoken = texts.languages[language]
    said = texts.help_with(concern, language=language, below=True).text
    assert said.startswith(spoken.texts[concern].below)
    if concern in EMERGENCIES:
        assert all(spoken.texts[concern].places[country] in said for country in spoken.countries)
        assert not spoken.headings.country or spoken.headings.country not in said
    else:
        last = spoken.texts[concern].places[spoken.countries[-1]]
        assert said.endswith(spoken.headings.country or last)
        assert "\n" not in said
    named = texts.help_with(concern, language=language, countries=["DE"], below=True).text
    assert spoken.texts[concern].places.get("DE", "Germany") in named


@each_row(
    ("message", "countries"),
    [
        ("I'm in Germany and can't pay my debts", ["DE"]),
        ("lost my job in the UK", ["GB"]),
        ("moved from India to Canada", ["CA", "IN"]),
        ("can you help us", []),
        ("I live in the US", ["US"]),
        ("perdí mi trabajo en México", ["MX"]),
        ("schulden in Österreich", ["AT"]),
        ("schulden in Großbritannien", ["GB"]),
        ("अमेरिका में नौकरी चली गई", ["US"]),
        ("I owe 5 lakh and can't pay the EMI", ["IN"]),
        ("devo R$ 8000 no cartão", ["BR"]),
        ("i owe ₦80,000 to a loan app", ["NG"]),
        ("lost my job in nairobi", ["KE"]),
        ("landlord in cape town locked me out", ["ZA"]),
        ("my pag-ibig loan is late", ["PH"]),
        ("I owe £8000", ["GB"]),
        ("I'm in Ireland and owe a British bank £8000", ["GB", "IE"]),
        ("je ne peux plus payer, je vis en Suisse", ["CH"]),
    ],
)
def test_the_countries_that_a_message_names_are_found(message: str, countries: list[str]) -> None:
    assert countries_meant(message) == countries


def test_the_help_of_the_country_that_is_named_is_given_alone(texts: HelpTexts) -> None:
    said = texts.help_with(Concern.DEBT, countries=["GB"]).text
    assert "StepChange, 0800 138 1111" in said
    assert "USA" not in said
    assert "Elsewhere" not in said


def test_a_country_that_no_line_is_known_for_gets_what_holds_elsewhere_and_no_question(
    texts: HelpTexts,
) -> None:
    said = texts.help_with(Concern.DEBT, countries=["NZ"])
    assert texts.languages["en"].texts[Concern.DEBT].elsewhere in said.text
    assert "Tell me your country" not in said.text
    assert said.for_user_in("US") == said


def test_an_emergency_in_a_country_without_a_line_gets_those_of_several(texts: HelpTexts) -> None:
    assert texts.help_with(Concern.FRAUD, countries=["NZ"]).text == texts.help_with(Concern.FRAUD).text


def test_a_country_of_another_language_gets_its_line_in_english(texts: HelpTexts) -> None:
    said = texts.help_with(Concern.GAMBLING, language="de", countries=["GB"]).text
    assert said.startswith("Danke")
    assert "UK: National Gambling Helpline" in said


def test_an_unknown_language_gets_english(texts: HelpTexts) -> None:
    assert texts.help_with(Concern.DEBT, language="fi").text == texts.help_with(Concern.DEBT).text


def test_a_scam_gets_a_plain_no_with_the_signs_and_how_to_check(texts: HelpTexts) -> None:
    said = texts.help_with(Concern.SCAM, signs=[Sign.RATE, Sign.STRANGER]).text
    assert said.startswith("No,")
    assert "1,300 times" in said
    assert "know only from an app" in said
    assert "pyramid" not in said
    assert "Check it like this" in said


def test_without_a_sign_the_text_says_that_it_cannot_tell(texts: HelpTexts) -> None:
    assert texts.help_with(Concern.SCAM).text.startswith("I cannot tell")


def test_the_text_is_not_said_twice_but_the_help_is(texts: HelpTexts) -> None:
    first, second = (
        texts.help_with(Concern.DEBT, countries=["GB"], again=again).text for again in (False, True)
    )
    assert "1. " not in second
    assert len(second) < len(first)
    assert "StepChange" in second


def test_a_clear_emergency_is_followed_by_no_entry_and_everything_else_may_be(texts: HelpTexts) -> None:
    for concern in Concern:
        for language in texts.languages:
            clear = texts.help_with(concern, language=language)
            assert (clear.quoted is None) == (concern in EMERGENCIES)
            assert texts.help_with(concern, language=language, in_doubt=True).quoted


def test_an_emergency_in_doubt_gets_a_shorter_text_with_the_same_numbers(texts: HelpTexts) -> None:
    for concern in EMERGENCIES:
        for language in texts.languages:
            clear, in_doubt = (
                texts.help_with(concern, language=language, in_doubt=doubt).text for doubt in (False, True)
            )
            assert len(in_doubt) < len(clear)
            lines = [line for line in clear.splitlines() if line.startswith("- ")]
            assert lines
            assert set(lines) <= set(in_doubt.splitlines())
