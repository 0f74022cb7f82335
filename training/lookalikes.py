"""Write which letters look like an ASCII letter or digit (``data/redaction/lookalikes.json``).

The source is Unicode's table of confusable characters (UTS #39, ``confusables.txt``), as the package
confusable-homoglyphs 3.3.1 (MIT) carries it::

    pip install --target /tmp/homoglyphs confusable-homoglyphs==3.3.1
    python training/lookalikes.py /tmp/homoglyphs/confusable_homoglyphs/confusables.json

Characters are compared without case, so each pair says something about both cases: those of small letters
count first, and a pair that would make two different ASCII letters the same is left out (the Greek Upsilon
looks like Y, but the small one like u). ``i``, ``l`` and ``1``, and ``o`` and ``0`` are the same.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from finassist.domain.chat.folding import letters_of

WRITTEN = Path(__file__).parent.parent / "src/finassist/data/redaction/lookalikes.json"

Pair = tuple[str, str]


def main() -> None:
    table = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    groups = grouped(pairs_of(table))
    text = json.dumps(groups, ensure_ascii=False, indent=1)
    WRITTEN.write_text(text + "\n", encoding="utf-8")
    print(f"{sum(map(len, groups.values()))} letters look like one of {len(groups)}")


def pairs_of(table: Mapping[str, list[dict[str, str]]]) -> list[Pair]:
    """The pairs of single letters, ASCII with ASCII first, then those of small letters."""
    pairs = {(one, other["c"]) for one, others in table.items() for other in others}
    ranked = sorted((rank(*pair), (letters_of(pair[0]), letters_of(pair[1]))) for pair in pairs)
    return [
        (one, other)
        for rank, (one, other) in ranked
        if len(one) == len(other) == 1 and one != other and (rank == 0 or not (one + other).isascii())
    ]


def rank(one: str, other: str) -> int:
    if (one + other).isascii():
        return 0
    return 1 if (one + other) == (one + other).casefold() else 2


def grouped(pairs: Iterable[Pair]) -> dict[str, str]:
    """The letters that look like each ASCII letter or digit, itself left out."""
    groups: dict[str, set[str]] = {}
    for one, other in pairs:
        first, second = (groups.setdefault(each, {each}) for each in (one, other))
        if first is second or (has_ascii(first) and has_ascii(second) and not (one + other).isascii()):
            continue
        first |= second
        groups.update(dict.fromkeys(second, first))
    return {name: "".join(letters) for name, letters in sorted(named(groups))}


def named(groups: Mapping[str, set[str]]) -> Iterator[tuple[str, list[str]]]:
    seen = defaultdict(set)
    for group in groups.values():
        if has_ascii(group):
            name = max(each for each in group if each.isascii())  # the letter, not the digit
            seen[name] = group - {name}
    for name, group in seen.items():
        yield name, sorted(group)


def has_ascii(group: Iterable[str]) -> bool:
    return any(each.isascii() for each in group)


if __name__ == "__main__":
    main()
