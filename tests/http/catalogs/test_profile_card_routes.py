"""Profile cards over HTTP (spec "User profile", contract section 9)."""

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest

from finassist.adapters.data_files.profile_cards import shipped_cards
from finassist.composition.container import build_application
from finassist.config import Settings, SettingsError
from http_service import DEVICE, Service, Start, offending

PREFIX = "/api/v1/user-profile"
CATALOG = shipped_cards()
QUESTIONS = {question.key: (card, question) for card in CATALOG.cards for question in card.questions}


def answer(key: str, value: Any, **fields: Any) -> dict[str, Any]:
    card, question = QUESTIONS[key]
    return {"cardId": card.id, "questionId": question.id, "value": value, **fields}


def any_value(question: dict[str, Any]) -> Any:
    match question["type"]:
        case "single_select":
            return question["options"][0]["value"]
        case "multi_select":
            return [option["value"] for option in question["options"][:2]]
        case "number":
            return question["min"] or 0
        case "boolean":
            return False
    return "Something"


@pytest.fixture
async def ann(service: Service) -> dict[str, str]:
    return await service.token("ann", name="Ann")


async def get(service: Service, headers: dict[str, str], path: str = "") -> dict[str, Any]:
    response = await service.client.get(PREFIX + path, headers=headers)
    assert response.status_code == 200, response.text
    data: dict[str, Any] = response.json()["data"]
    return data


async def post_answers(service: Service, headers: dict[str, str], *answers: Any) -> httpx2.Response:
    return await service.client.post(f"{PREFIX}/answers", json={"answers": answers}, headers=headers)


async def save(service: Service, headers: dict[str, str], *answers: Any) -> dict[str, Any]:
    response = await post_answers(service, headers, *answers)
    assert response.status_code == 200, response.text
    data: dict[str, Any] = response.json()["data"]
    return data


async def begin(service: Service, headers: dict[str, str]) -> dict[str, Any]:
    response = await service.client.post(f"{PREFIX}/session", headers=headers)
    assert response.status_code == 200, response.text
    data: dict[str, Any] = response.json()["data"]
    return data


def keys(cards: list[dict[str, Any]]) -> list[str]:
    return [card["key"] for card in cards]


@pytest.mark.parametrize(
    ("method", "path"), [("GET", ""), ("POST", "/answers"), ("POST", "/session"), ("GET", "/cards")]
)
async def test_a_guest_has_no_profile_cards(service: Service, method: str, path: str) -> None:
    for headers in (DEVICE, {}, {"Authorization": "Bearer nonsense"}):
        response = await service.client.request(method, PREFIX + path, headers=headers)
        assert response.status_code == 401
        assert response.json()["error"]["code"] == "UNAUTHORIZED"


async def test_a_new_user_has_an_empty_profile_and_two_cards(service: Service, ann: dict[str, str]) -> None:
    data = await get(service, ann)
    user_id = (await service.client.get("/api/v1/auth/me", headers=ann)).json()["data"]["user"]["id"]
    assert data["profile"] == {
        "userId": user_id, "answers": {}, "completedCards": 0, "totalCards": len(CATALOG.cards),
        "completionPercent": 0, "sessionCount": 0, "updatedAt": None,
    }  # fmt: skip
    [first, second] = data["cards"]
    assert set(first) == {"id", "key", "title", "subtitle", "order", "questions"}
    assert [first["order"], second["order"]] == [1, 2]
    assert first["questions"][0] == {
        "id": CATALOG.cards[0].questions[0].id, "key": "age_range", "text": "How old are you?",
        "type": "single_select", "required": True, "min": None, "max": None, "answer": None,
        "options": [
            {"value": option.value, "label": option.label}
            for option in CATALOG.cards[0].questions[0].options
        ],
    }  # fmt: skip
    everything = await get(service, ann, "/cards")
    assert everything["cards"][:2] == data["cards"]
    assert keys(everything["cards"]) == [card.key for card in CATALOG.cards]


def answers_in(cards: list[dict[str, Any]]) -> dict[str, Any]:
    """The answer of each question, by its key."""
    return {question["key"]: question["answer"] for card in cards for question in card["questions"]}


async def test_all_cards_are_listed_with_the_present_answers(service: Service, ann: dict[str, str]) -> None:
    card = CATALOG.cards[0]
    values = {each.key: any_value(msgspec.to_builtins(each)) for each in card.questions}
    await save(service, ann, *(answer(key, value, doNotUse=True) for key, value in values.items()))
    await save(service, ann, answer("dependants", 2), answer("income_source", ["employment"]))

    cards = (await get(service, ann, "/cards"))["cards"]
    assert keys(cards) == [card.key for card in CATALOG.cards], "the completed one as well"
    given = answers_in(cards)
    assert set(given) == set(QUESTIONS)
    assert {key: given[key] for key in values} == {
        key: {"value": value, "doNotUse": True} for key, value in values.items()
    }
    assert given["dependants"] == {"value": 2, "doNotUse": False}
    assert given["housing"] is None

    first = next(iter(values))
    await save(service, ann, answer(first, values[first]), answer("dependants", None))
    given = answers_in((await get(service, ann, "/cards"))["cards"])
    assert given[first] == {"value": values[first], "doNotUse": False}
    assert given["dependants"] is None


async def test_a_session_has_the_present_answers_of_its_cards(service: Service, ann: dict[str, str]) -> None:
    first = await begin(service, ann)
    [partly, *_] = [card for card in first["cards"] if len(card["questions"]) > 1]
    optional = next(each for each in partly["questions"] if not each["required"])
    await save(service, ann, answer(optional["key"], any_value(optional)))
    for _ in range(len(CATALOG.cards) // 2):
        again = await begin(service, ann)
    given = answers_in(again["cards"])
    assert given[optional["key"]] == {"value": any_value(optional), "doNotUse": False}
    assert list(given) == list(answers_in(first["cards"])), "all questions of the cards"


async def test_answers_are_kept_changed_and_withdrawn(service: Service, ann: dict[str, str]) -> None:
    data = await save(service, ann, answer("age_range", "35_44"), answer("country", "Kenya"))
    profile = data["profile"]
    assert profile["answers"] == {"age_range": "35_44", "country": "Kenya"}
    assert (profile["completedCards"], profile["completionPercent"]) == (1, 10)
    assert profile["updatedAt"].endswith("Z")
    assert keys(data["cards"]) == ["household", "income"]

    data = await save(service, ann, answer("age_range", "45_54"), answer("country", None))
    assert data["profile"]["answers"] == {"age_range": "45_54"}
    assert data == await get(service, ann)

    data = await save(service, ann, answer("age_range", None))
    assert (data["profile"]["answers"], data["profile"]["completedCards"]) == ({}, 0)
    assert keys(data["cards"]) == ["about_you", "household"]


async def test_every_offending_answer_is_named(service: Service, ann: dict[str, str]) -> None:
    other_card = CATALOG.cards[3].id
    response = await post_answers(
        service,
        ann,
        answer("age_range", "12"),
        answer("dependants", 21),
        answer("dependants", "two"),
        answer("income_source", ["employment", "employment"]),
        answer("debt_strain", 1),
        answer("country", ""),
        {**answer("goals", ["home"]), "cardId": "f" * 24},
        {**answer("goals", ["home"]), "cardId": other_card},
        answer("goals", ["safety", "home", "children", "wealth"]),
        answer("housing", "rent", doNotUse="yes"),
        {"questionId": "short", "cardId": other_card, "value": 1},
        {},
        answer("goal_years", 3),
        answer("goal_years", 4),
    )
    assert offending(response) == {
        "answers[0].value", "answers[1].value", "answers[2].value", "answers[3].value",
        "answers[4].value", "answers[5].value", "answers[6].cardId", "answers[7].questionId",
        "answers[8].value", "answers[9].doNotUse", "answers[10].questionId", "answers[11].cardId",
        "answers[11].questionId", "answers[11].value", "answers[13].questionId",
    }  # fmt: skip
    assert (await get(service, ann))["profile"]["answers"] == {}


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"answers"}),
        ({"answers": []}, {"answers"}),
        ({"answers": {}}, {"answers"}),
        ({"answers": [7, None]}, {"answers[0]", "answers[1]"}),
        ({"answers": [answer("age_range", "35_44")] * 101}, {"answers"}),
        ([], {"body"}),
    ],
)
async def test_a_body_without_answers_is_refused(
    service: Service, ann: dict[str, str], body: Any, fields: set[str]
) -> None:
    response = await service.client.post(f"{PREFIX}/answers", json=body, headers=ann)
    assert fields <= offending(response)


async def test_sessions_show_two_unanswered_cards_at_a_time_in_turn(
    service: Service, ann: dict[str, str]
) -> None:
    sessions = [await begin(service, ann) for _ in range(6)]
    assert [session["sessionNumber"] for session in sessions] == [1, 2, 3, 4, 5, 6]
    assert len({session["sessionId"] for session in sessions}) == 6
    assert all(len(session["sessionId"]) == 24 for session in sessions)
    order = [card.key for card in CATALOG.cards]
    shown = [key for session in sessions for key in keys(session["cards"])]
    assert shown == [*order, *order[:2]]
    assert (await get(service, ann))["profile"]["sessionCount"] == 6


async def test_looking_at_the_cards_changes_nothing(service: Service, ann: dict[str, str]) -> None:
    session = await begin(service, ann)
    before = await get(service, ann)
    for _ in range(3):
        assert (await get(service, ann))["cards"] == session["cards"]
        await get(service, ann, "/cards")
    assert await get(service, ann) == before


async def test_a_user_gets_through_all_cards_and_is_asked_nothing_twice(
    service: Service, ann: dict[str, str]
) -> None:
    asked: list[str] = []
    for _ in range(len(CATALOG.cards)):
        session = await begin(service, ann)
        answers = []
        for card in session["cards"][:1]:
            for question in card["questions"]:
                asked.append(question["key"])
                answers.append(answer(question["key"], any_value(question)))
        data = await save(service, ann, *answers)
    assert len(asked) == len(set(asked)) == len(QUESTIONS)
    assert data["profile"]["completionPercent"] == 100
    assert data["cards"] == (await begin(service, ann))["cards"] == []


async def test_parallel_answers_and_sessions_are_all_kept(service: Service, ann: dict[str, str]) -> None:
    await get(service, ann)
    answers = {
        key: any_value({"type": question.type, "min": question.min, "options": [
            {"value": option.value} for option in question.options
        ]})
        for key, (_, question) in QUESTIONS.items()
    }  # fmt: skip
    calls = [save(service, ann, answer(key, value)) for key, value in answers.items()]
    results = await asyncio.gather(*calls, *(begin(service, ann) for _ in range(20)))
    assert sorted(result["sessionNumber"] for result in results[len(calls) :]) == list(range(1, 21))
    profile = (await get(service, ann))["profile"]
    assert profile["answers"] == answers
    assert profile["completionPercent"] == 100


async def test_profiles_are_kept_apart(service: Service, ann: dict[str, str]) -> None:
    await save(service, ann, answer("age_range", "35_44"))
    assert (await get(service, await service.token("bob")))["profile"]["answers"] == {}


async def test_the_overview_shows_what_was_answered(service: Service, ann: dict[str, str]) -> None:
    await save(service, ann, answer("housing", "rent", doNotUse=True), answer("dependants", 2))
    me = (await service.client.get("/api/v1/auth/me", headers=ann)).json()["data"]
    assert me["profileContext"]["static"] == [
        {
            "key": "dependants",
            "label": "How many people depend on your income, besides you?",
            "value": 2,
        },
        {"key": "housing", "label": "Do you rent or own?", "value": "rent"},
    ]


async def test_an_operators_cards_take_the_place_of_those_that_ship(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "cards.json"
    file.write_text(
        '{"cards": [{"key": "x", "title": "X", "questions": [{"key": "y", "text": "Y?", "type": "text"}]}]}'
    )
    service = await start({"profile_cards_file": file})
    data = await get(service, await service.token())
    assert (keys(data["cards"]), data["profile"]["totalCards"]) == (["x"], 1)


def test_a_wrong_file_of_cards_stops_the_start(tmp_path: Path) -> None:
    file = tmp_path / "cards.json"
    for content, problem in (
        (None, "cannot be read: No such file"),
        ("{}", "missing required field `cards`"),
    ):
        if content is not None:
            file.write_text(content)
        settings = Settings.from_env({"PROFILE_CARDS_FILE": str(file), "DATA_DIR": str(tmp_path)})
        with pytest.raises(SettingsError) as refused:
            build_application(settings)
        assert problem in refused.value.problems["PROFILE_CARDS_FILE"]
