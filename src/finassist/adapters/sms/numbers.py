"""Phone numbers by the numbering plans that the library ``phonenumbers`` knows."""

from collections.abc import Collection

import phonenumbers
from phonenumbers import NumberParseException, PhoneNumber, PhoneNumberFormat

from finassist.domain.auth.otp import normalise_phone
from finassist.domain.errors import ValidationFailed

_FIELD = "phone"


class NumberingPlans:
    """``PhoneNumbers``; ``countries`` like ``DE`` or ``+49`` get messages, all when there are none.

    Whether a number is in use is left to the SMS provider: ranges open faster than any library learns.
    """

    def __init__(self, countries: Collection[str] = ()) -> None:
        self._regions = {country for country in countries if country.isalpha()}
        self._calling_codes = {int(country) for country in countries if not country.isalpha()}

    def normalise(self, text: str) -> str:
        """The E.164 form. Raises ValidationFailed."""
        number = _parse(text)
        if number is None or not phonenumbers.is_possible_number(number):
            raise ValidationFailed.of(_FIELD, "Must be a phone number with its country code.")
        if not self._is_served(number):
            raise ValidationFailed.of(_FIELD, "Numbers of this country get no text messages.")
        return phonenumbers.format_number(number, PhoneNumberFormat.E164)

    def _is_served(self, number: PhoneNumber) -> bool:
        if not self._regions and not self._calling_codes:
            return True
        if number.country_code in self._calling_codes:
            return True
        return phonenumbers.region_code_for_number(number) in self._regions


def _parse(text: str) -> PhoneNumber | None:
    international = normalise_phone(text)
    if international is None:
        return None
    try:
        return phonenumbers.parse(international)
    except NumberParseException:
        return None
