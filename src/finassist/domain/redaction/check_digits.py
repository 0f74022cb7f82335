"""Check digits, which distinguish card, account and identity numbers from other numbers."""

import re
from typing import Final

_NOT_ALPHANUMERIC = re.compile(r"[^0-9A-Za-z]")

_IBAN_LENGTHS: Final = {
    country: length
    for length, countries in {
        15: "NO",
        16: "BE",
        18: "DK FI FO GL NL SD",
        19: "MK SI",
        20: "AT BA EE KZ LT LU MN XK",
        21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA",
        23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG",
        25: "LY PT ST",
        26: "IS TR",
        27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HU LB NI PL SV",
        29: "BR EG PS QA UA",
        30: "JO KW MU",
        31: "MT SC",
        32: "LC",
        33: "RU",
    }.items()
    for country in countries.split()
}
_CARD_PREFIX = re.compile(r"4|5[0-8]|2[2-7]|3[0-9]|6[0-9]")
_PESEL_WEIGHTS: Final = (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)
_DNI_LETTERS: Final = "TRWAGMYFPDXBNJZSQVHLCKE"
_ODD_VALUES: Final = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12,
         14, 16, 10, 22, 25, 24, 23),
        strict=True,
    )
)  # fmt: skip
_VERHOEFF_PRODUCT: Final = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
_VERHOEFF_SHIFT: Final = (
    "0123456789", "1576283094", "5803796142", "8916043527",
    "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip


def bare(text: str) -> str:
    """The letters, in upper case, and digits of a text."""
    return _NOT_ALPHANUMERIC.sub("", text).upper()


def iban_length(text: str) -> int | None:
    """How many characters an IBAN of this text's country has; None when the country has no IBAN."""
    return _IBAN_LENGTHS.get(text[:2].upper())


def is_iban(text: str) -> bool:
    """ISO 13616: the country's length, and 1 modulo 97."""
    code = bare(text)
    if len(code) != iban_length(code):
        return False
    return int("".join(str(int(character, 36)) for character in code[4:] + code[:4])) % 97 == 1


def is_luhn(text: str) -> bool:
    """ISO 7812: the last digit makes the Luhn sum a multiple of ten."""
    digits = [int(digit) for digit in bare(text)]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def is_card(text: str) -> bool:
    """A payment card: 13 to 19 digits, a prefix that networks use, Luhn."""
    digits = bare(text)
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    return _CARD_PREFIX.match(digits) is not None and is_luhn(digits)


def is_verhoeff(text: str) -> bool:
    """Aadhaar: the Verhoeff sum is zero."""
    check = 0
    for position, digit in enumerate(reversed(bare(text))):
        check = int(_VERHOEFF_PRODUCT[check][int(_VERHOEFF_SHIFT[position % 8][int(digit)])])
    return check == 0


def is_german_tax_id(text: str) -> bool:
    """Steuerliche Identifikationsnummer: ISO 7064, modulo 11, 10."""
    digits = bare(text)
    product = 10
    for digit in digits[:10]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def is_cpf(text: str) -> bool:
    """Cadastro de Pessoas Físicas: two digits modulo 11."""
    digits = [int(digit) for digit in bare(text)]
    if len(set(digits)) == 1:
        return False
    return all(
        sum(digit * (length + 1 - position) for position, digit in enumerate(digits[:length])) * 10 % 11 % 10
        == digits[length]
        for length in (9, 10)
    )


def is_dni(text: str) -> bool:
    """DNI and NIE: the letter is the number modulo 23."""
    code = bare(text).translate(str.maketrans("XYZ", "012"))
    letter = bare(text)[-1]
    return code[:-1].isdigit() and _DNI_LETTERS[int(code[:-1]) % 23] == letter


def is_nir(text: str) -> bool:
    """Numéro de sécurité sociale: 97 minus the number modulo 97."""
    code = bare(text)
    number = code[:13].replace("2A", "19").replace("2B", "18")
    return number.isdigit() and 97 - int(number) % 97 == int(code[13:])


def is_codice_fiscale(text: str) -> bool:
    """Codice fiscale: the last letter is the sum of the others modulo 26."""
    code = bare(text)
    odd = sum(_ODD_VALUES[character] for character in code[0:15:2])
    even = sum(int(character, 36) - 10 * character.isalpha() for character in code[1:15:2])
    return chr(ord("A") + (odd + even) % 26) == code[15]


def is_pesel(text: str) -> bool:
    """PESEL: eleven weighted digits, a multiple of ten."""
    return (
        sum(int(digit) * weight for digit, weight in zip(bare(text), _PESEL_WEIGHTS, strict=True)) % 10 == 0
    )


def is_personnummer(text: str) -> bool:
    """Personnummer: Luhn over the last ten digits."""
    return is_luhn(bare(text)[-10:])
