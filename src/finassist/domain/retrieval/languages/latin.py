"""Hindi in Latin letters, as people type it, from Devanagari: who writes "ppf kya hai" may not read it.

The short vowel that every consonant has is not spoken at the end of a word, and in the middle of one where a
vowel and a consonant stand before it and a consonant with a vowel behind.
"""

import re
from functools import lru_cache
from typing import Final

_NUKTA: Final = "\u093c"
_VIRAMA: Final = "\u094d"
CONSONANTS: Final = dict(
    zip(
        "कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह",
        "k kh g gh n ch chh j jh n t th d dh n t th d dh n p ph b bh m y r l v sh sh s h".split(),
        strict=True,
    )
)
_DOTTED: Final = {"क": "q", "ख": "kh", "ग": "g", "ज": "z", "फ": "f", "ड": "d", "ढ": "dh"}
_VOWELS: Final = dict(zip("अआइईउऊऋएऐऑओऔ", "a aa i ee u oo ri e ai o o au".split(), strict=True))
_SIGNS: Final = dict(zip("ािीुूृेैॉोौॅ", "aa i ee u oo ri e ai o o au e".split(), strict=True))
_NASALS: Final = "ंँ"
_DIGITS: Final = str.maketrans("०१२३४५६७८९।", "0123456789.")
_USUAL: Final = {
    "में": "mein", "नहीं": "nahi", "यह": "yeh", "वह": "woh", "ये": "ye", "वे": "ve", "न": "na", "व": "va",
    "कि": "ki", "और": "aur", "भारत": "Bharat", "रुपये": "rupaye", "तो": "to", "साल": "saal", "ज़्यादा": "zyada",
}  # fmt: skip
"""How everybody writes these."""
_WORD: Final = re.compile(r"[\u0900-\u0963\u0970-\u097f]+")
_INHERENT: Final = "a"
_CACHED: Final = 4096


@lru_cache(_CACHED)
def in_latin_letters(text: str) -> str:
    """A text with its words in Devanagari in Latin letters; all else stays."""
    return _WORD.sub(lambda word: _USUAL.get(word[0]) or _spelled(word[0]), text).translate(_DIGITS)


def _spelled(word: str) -> str:
    syllables = _syllables(word)
    _leave_out(syllables)
    is_short = sum(bool(vowel) for _, vowel, _ in syllables) == 1 and len(syllables) > 1
    written = []
    for place, (consonants, vowel, nasal) in enumerate(syllables):
        is_long = is_short and vowel in ("aa", "ee", "oo")
        spoken = vowel if is_long else {"aa": "a", "ee": "i", "oo": "u"}.get(vowel, vowel)
        labial = place + 1 < len(syllables) and syllables[place + 1][0][:1] in ("p", "b", "m")
        written.append(consonants.replace("jn", "gy") + spoken + (("m" if labial else "n") if nasal else ""))
    return "".join(written)


def _syllables(word: str) -> list[list[str]]:
    """Consonants, vowel and nasal of each syllable; a consonant without a sign has the short vowel."""
    found: list[list[str]] = []
    is_joined = False
    for letter in word:
        if letter in CONSONANTS:
            if is_joined and found:
                found[-1][0] += CONSONANTS[letter]
                found[-1][1] = _INHERENT
            else:
                found.append([CONSONANTS[letter], _INHERENT, ""])
            is_joined = False
            last = letter
        elif letter == _NUKTA and found:
            found[-1][0] = found[-1][0].removesuffix(CONSONANTS[last]) + _DOTTED.get(last, CONSONANTS[last])
        elif letter == _VIRAMA and found:
            found[-1][1], is_joined = "", True
        elif letter in _SIGNS and found:
            found[-1][1] = _SIGNS[letter]
        elif letter in _VOWELS:
            found.append(["", _VOWELS[letter], ""])
        elif letter in _NASALS and found:
            found[-1][2] = "n"
    return found


def _leave_out(syllables: list[list[str]]) -> None:
    """Take the short vowels away that are not spoken."""
    last = len(syllables) - 1
    if last > 0 and syllables[last][1:] == [_INHERENT, ""] and len(syllables[last][0]) < 3:
        syllables[last][1] = ""
    for place in range(last - 1, 0, -1):
        _, vowel, nasal = syllables[place]
        before, after = syllables[place - 1], syllables[place + 1]
        is_open = bool(before[1]) and not before[2] and bool(after[0]) and bool(after[1])
        if vowel == _INHERENT and not nasal and is_open and len(syllables[place][0]) < 3:
            syllables[place][1] = ""
