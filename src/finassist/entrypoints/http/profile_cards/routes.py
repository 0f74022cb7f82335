"""Profile cards and the answers to them (spec "User profile", contract section 9)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from finassist.application.profile_cards import (
    AnswerCards,
    GetProfileCards,
    GivenAnswer,
    ListProfileCards,
    ProfileCards,
    StartCardSession,
)
from finassist.domain.errors import FieldError
from finassist.domain.ids import ID_PATTERN
from finassist.domain.profile_cards import Card, ProfileAnswer, Question, QuestionType
from finassist.entrypoints.http.openapi.description import BODY_ERRORS, REGISTERED_ERRORS, raises
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.injection import finassist_of
from finassist.entrypoints.http.requests.security import AS_REGISTERED, CallerRequest
from finassist.entrypoints.http.responses.envelope import Envelope, Timestamp, View, ok, view

ANSWERS_MAX: Final = 100


class CardOptionView(View):
    """One choice: ``value`` is what an answer says, ``label`` what people read."""

    value: str
    label: str


class CardAnswerView(View):
    """The user's present answer; ``doNotUse`` keeps it from the model."""

    value: Any
    do_not_use: bool


class CardQuestionView(View):
    """One question, with the present answer if it has one. ``min`` and ``max`` bound a number, the characters
    of a text, or how many options are chosen."""

    id: str
    key: str
    text: str
    type: QuestionType
    options: list[CardOptionView]
    required: bool
    min: int | float | None
    max: int | float | None
    answer: CardAnswerView | None


class CardView(View):
    """Questions that belong together."""

    id: str
    key: str
    title: str
    subtitle: str
    order: int
    questions: list[CardQuestionView]


class UserProfileView(View):
    """What the user has answered, by question key. A card is complete once its required questions are
    answered."""

    user_id: str
    answers: dict[str, Any]
    completed_cards: int
    total_cards: int
    completion_percent: int
    session_count: int
    updated_at: Timestamp | None


class UserProfileAndCards(View):
    """The profile, and the cards to show now, at most two, without the questions that have an answer."""

    profile: UserProfileView
    cards: list[CardView]


class AllCards(View):
    """All cards with the user's answers, the completed ones included."""

    cards: list[CardView]


class CardSessionView(View):
    """A session that has begun, and its cards, at most two."""

    session_id: str
    session_number: int
    cards: list[CardView]


class CardAnswer(Body):
    """An answer to one question of a card; ``value`` null withdraws it, ``doNotUse`` keeps it from the
    model."""

    card_id: Annotated[str, msgspec.Meta(pattern=ID_PATTERN, max_length=24)]
    question_id: Annotated[str, msgspec.Meta(pattern=ID_PATTERN, max_length=24)]
    value: Any
    do_not_use: bool = False


def check_answers(request: AnyRequest, body: Mapping[str, Any]) -> Sequence[FieldError]:
    """The errors of the values, in addition to those of their types."""
    check = finassist_of(request).check_answers
    sent = body.get("answers")
    if not isinstance(sent, list) or len(sent) > ANSWERS_MAX:
        return ()
    return check(
        {
            index: given
            for index, answer in enumerate(sent)
            if (given := _given_if_readable(answer)) is not None
        }
    )


def _given_if_readable(answer: Any) -> GivenAnswer | None:
    try:
        return _given(msgspec.convert(answer, CardAnswer))
    except msgspec.ValidationError:
        return None


def _given(answer: CardAnswer) -> GivenAnswer:
    return GivenAnswer(
        card_id=answer.card_id,
        question_id=answer.question_id,
        value=answer.value,
        do_not_use=answer.do_not_use,
    )


class CardAnswers(Body):
    """Answers to questions of one or several cards."""

    checks = (check_answers,)

    answers: Annotated[list[CardAnswer], msgspec.Meta(min_length=1, max_length=ANSWERS_MAX)]


class UserProfileController(Controller):
    """``/api/v1/user-profile``."""

    path = "/api/v1/user-profile"
    tags = ("Personalisation",)
    opt = AS_REGISTERED["opt"]
    security = AS_REGISTERED["security"]

    @get(
        summary="Read the profile and its cards",
        description="The caller's profile, and the cards to show now. Reading changes nothing.",
        responses=raises(*REGISTERED_ERRORS),
    )
    async def get_user_profile(
        self, request: CallerRequest, get_profile_cards: NamedDependency[GetProfileCards]
    ) -> Envelope[UserProfileAndCards]:
        return ok(_shown(await get_profile_cards(request.user)))

    @post(
        "/answers",
        summary="Answer cards",
        description=(
            "Store answers to profile cards. Each is checked against its question: type, options, minimum "
            "and maximum.\n\n"
            "A new answer replaces the earlier one, null withdraws it, and an answer with `doNotUse` is "
            "not given to the model. All answers of a request are stored, or none."
        ),
        request_example={
            "answers": [
                {
                    "cardId": "7a63c020d4f897b5f09198b7",
                    "questionId": "d012d46e80da5f9a8552695c",
                    "value": "under_25",
                }
            ]
        },
        status_code=200,
        responses=raises(*BODY_ERRORS, *REGISTERED_ERRORS),
    )
    async def answer_cards(
        self,
        request: CallerRequest,
        data: JSONBody[CardAnswers],
        answer_cards: NamedDependency[AnswerCards],
    ) -> Envelope[UserProfileAndCards]:
        return ok(_shown(await answer_cards(request.user, list(map(_given, data.answers)))))

    @post(
        "/session",
        summary="Begin a session of cards",
        description=(
            "Begin a session and get the next two cards that are not complete; after the last card it begins "
            "again with the first. Each question has its present answer, or null."
        ),
        status_code=200,
        responses=raises(*REGISTERED_ERRORS),
    )
    async def start_card_session(
        self, request: CallerRequest, start_card_session: NamedDependency[StartCardSession]
    ) -> Envelope[CardSessionView]:
        session = await start_card_session(request.user)
        return ok(
            CardSessionView(
                session_id=session.id,
                session_number=session.number,
                cards=_card_views(session.cards, session.given),
            )
        )

    @get(
        "/cards",
        summary="List all cards with the answers to them",
        description=(
            "All cards, the completed ones included; each question has its present answer, or null. An "
            "answer is changed, withdrawn or kept from the model by answering again. Reading changes nothing."
        ),
        responses=raises(*REGISTERED_ERRORS),
    )
    async def get_cards(
        self, request: CallerRequest, list_profile_cards: NamedDependency[ListProfileCards]
    ) -> Envelope[AllCards]:
        found = await list_profile_cards(request.user)
        return ok(AllCards(cards=_card_views(found.cards, found.given)))


def _shown(found: ProfileCards) -> UserProfileAndCards:
    profile = found.profile
    return UserProfileAndCards(
        profile=UserProfileView(
            user_id=profile.user_id,
            answers=dict(found.answers),
            completed_cards=found.completed_cards,
            total_cards=found.total_cards,
            completion_percent=found.completion_percent,
            session_count=profile.session_count,
            updated_at=None if profile.updated_at is None else Timestamp.of(profile.updated_at),
        ),
        cards=_card_views(found.cards, {}),
    )


def _card_views(cards: Sequence[Card], given: Mapping[str, ProfileAnswer]) -> list[CardView]:
    return [
        CardView(
            id=card.id,
            key=card.key,
            title=card.title,
            subtitle=card.subtitle,
            order=card.order,
            questions=[_question_view(question, given.get(question.key)) for question in card.questions],
        )
        for card in cards
    ]


def _question_view(question: Question, answer: ProfileAnswer | None) -> CardQuestionView:
    return CardQuestionView(
        id=question.id,
        key=question.key,
        text=question.text,
        type=question.type,
        options=[view(option, CardOptionView) for option in question.options],
        required=question.required,
        min=question.min,
        max=question.max,
        answer=None if answer is None else view(answer, CardAnswerView),
    )
