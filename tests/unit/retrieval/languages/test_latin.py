"""Hindi entries for those who write Hindi in Latin letters."""

import pytest

from finassist.domain.retrieval.languages.latin import in_latin_letters


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("भारत में PPF 15 साल का सरकारी बचत खाता है।", "Bharat mein PPF 15 saal ka sarkari bachat khata hai."),
        ("घूमने के लिए नहीं", "ghumne ke lie nahi"),
        ("लगभग समझ ज्ञान", "lagbhag samajh gyaan"),
        ("₹१,००० a year", "₹1,000 a year"),
    ],
)
def test_devanagari_is_put_into_the_letters_that_people_type(written: str, read: str) -> None:
    assert in_latin_letters(written) == read
