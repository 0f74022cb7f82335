import pytest

from finassist.adapters.sms.numbers import NumberingPlans
from finassist.domain.errors import ValidationFailed


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("+491701234567", "+491701234567"),
        ("491701234567", "+491701234567"),
        ("+4901701234567", "+491701234567"),
        ("+15551234567", "+15551234567"),
        ("+390612345678", "+390612345678"),
        ("+911234567890", "+911234567890"),
    ],
)
def test_a_number_has_one_form(written: str, number: str) -> None:
    assert NumberingPlans().normalise(written) == number


@pytest.mark.parametrize(
    "text",
    ["", "+", "0049170", "+4917", "+999123456789", "+4917012345678901", "tel:+491701234567", "+49170123456x"],
)
def test_what_no_plan_has_is_refused(text: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        NumberingPlans().normalise(text)
    assert refused.value.errors[0].field == "phone"


@pytest.mark.parametrize(
    ("countries", "number", "served"),
    [
        (("DE",), "+491701234567", True),
        (("+49",), "+491701234567", True),
        (("49", "US"), "+491701234567", True),
        (("DE",), "+33612345678", False),
        (("US",), "+12125550123", True),
        (("US",), "+14165550123", False),
        (("1",), "+14165550123", True),
        (("CA",), "+14165550123", True),
    ],
)
def test_only_the_named_countries_are_served(countries: tuple[str, ...], number: str, served: bool) -> None:
    plans = NumberingPlans(countries)
    if served:
        assert plans.normalise(number) == number
    else:
        with pytest.raises(ValidationFailed):
            plans.normalise(number)
