"""The answers to the two things that a message asks, as one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from finassist.domain.calculators.recognition.follow_ups.chains import Continued
from finassist.domain.calculators.recognition.follow_ups.gathering import refers_back
from finassist.domain.calculators.recognition.reading import Recognised
from finassist.domain.calculators.recognition.threads.parts import Part
from finassist.domain.calculators.recognition.threads.results import calls_for, is_same

SUM: Final = "arithmetic"


def together(
    parts: Sequence[Part],
    asked: Sequence[Continued | None],
    calls: Sequence[Sequence[Recognised]],
    whole: Continued | None,
) -> Continued | None:
    """The answers to two things as one: both, the one that tells both figures, or the only one."""
    answered = [place for place, each in enumerate(calls) if each]
    if not answered:
        return whole
    last = asked[answered[-1]]
    if last is None or (answered == [1] and refers_back(parts[1].alone)):
        return None
    if len(answered) > 1 and is_same(*calls):
        if calls[0][0].name != SUM:
            is_whole = whole is not None and is_same(calls_for(whole, parts[0].alone), calls[0])
            return whole if is_whole else last
        answered = answered[:1]
    if len(answered) > 1:
        made = [call for each in calls for call in each]
        labels = [part.label for part, each in zip(parts, calls, strict=True) for _ in each]
        return replace(last, operation=made, labels=labels, is_changed=False)
    [place] = answered
    if whole is not None and (parts[place].has_all or _tells_both(whole, calls[place], parts, place)):
        return whole  # the rest has neither a number nor a story of its own, or the result tells it
    return replace(last, left_open=parts[1 - place].label)


def _tells_both(whole: Continued, calls: Sequence[Recognised], parts: Sequence[Part], answered: int) -> bool:
    """Whether the calculation that answers one of two things is that of the whole message, and its result
    tells the other one as well."""
    answers, other = whole.draft.form.answers, parts[1 - answered].alone
    if answers is None or other.quantities or not other.says(answers):
        return False
    return is_same(calls_for(whole, parts[answered].alone), calls)
