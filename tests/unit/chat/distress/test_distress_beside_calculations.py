"""A calculation in another language is no call for help with debts, a scam with its signs stays one."""

from collections.abc import Sequence

import pytest

from finassist.adapters.classifier.calculations import DistressClassifierBesideCalculations
from finassist.adapters.llm.offline.calculation import Calculations
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.safety import Concern, Distress, Sign
from remembered_vectors import VECTORS

CALCULATION = "debo 3.000 euros en la tarjeta al 24 %, pago 150 al mes, en cuánto tiempo termino"


class OneConcern:
    """``DistressClassifier`` that finds the same in every message."""

    def __init__(self, concern: Concern | None, signs: Sequence[Sign] = ()) -> None:
        self._concern = concern
        self._signs = signs

    async def distress(
        self, message: str, history: Sequence[str] = (), *, language: str = ENGLISH
    ) -> Distress | None:
        return Distress(self._concern, 3.0) if self._concern else None

    async def signs(self, message: str, *, language: str = ENGLISH) -> Sequence[Sign]:
        return self._signs


def beside(concern: Concern | None, signs: Sequence[Sign] = ()) -> DistressClassifierBesideCalculations:
    return DistressClassifierBesideCalculations(
        OneConcern(concern, signs), Calculations(VECTORS).calculator_of
    )


async def concern_of(
    classifier: DistressClassifierBesideCalculations, message: str, language: str = ENGLISH
) -> Concern | None:
    found = await classifier.distress(message, language=language)
    return found.concern if found else None


@pytest.mark.parametrize("concern", [Concern.DEBT, Concern.SCAM])
async def test_a_whole_calculation_in_another_language_is_calculated(concern: Concern) -> None:
    assert await concern_of(beside(concern), CALCULATION, language="es") is None


@pytest.mark.parametrize("message", ["debo 3.000 euros y no puedo pagar", "no puedo más con mis deudas"])
async def test_what_asks_for_no_calculation_gets_help(message: str) -> None:
    assert await concern_of(beside(Concern.DEBT), message, language="es") is Concern.DEBT


async def test_in_english_the_classifier_decides_alone() -> None:
    message = "how long to pay off 3,000 at 24% with 150 a month"
    assert await concern_of(beside(Concern.DEBT), message) is Concern.DEBT


@pytest.mark.parametrize("concern", [Concern.SELF_HARM, Concern.FRAUD, Concern.HOME, Concern.GAMBLING])
async def test_other_concerns_are_never_set_aside(concern: Concern) -> None:
    assert await concern_of(beside(concern), CALCULATION, language="es") is concern


async def test_a_scam_with_its_signs_stays_one() -> None:
    found = beside(Concern.SCAM, [Sign.STRANGER])
    assert await concern_of(found, CALCULATION, language="es") is Concern.SCAM
    assert list(await found.signs(CALCULATION, language="es")) == [Sign.STRANGER]


async def test_a_rate_is_the_sign_of_a_scam_only_where_money_grows() -> None:
    found = beside(Concern.SCAM, [Sign.RATE])
    assert await concern_of(found, CALCULATION, language="es") is None
    grows = "si meto 500 euros al 20% mensual durante 12 meses cuánto voy a tener"
    assert await concern_of(found, grows, language="es") is Concern.SCAM
