"""Measure how many sums that people tell in words the offline model calculates, and how many rightly.

Asks the service the messages of ``questions/held_out_stories.jsonl``, by writers who wrote none of the
examples that stories are learned from and knew nothing of the recogniser; one of six ``lacks`` a number,
which should be asked for. A reply is right when it has every one of the ``figures``. Takes three minutes::

    python training/told_sums.py [--talks] [--wrong]

``--talks`` asks the conversations of ``questions/told_talks.jsonl`` that were held out instead, of which some
ask for no sum; ``--wrong`` prints the messages that got a wrong figure.
"""

import argparse
import asyncio
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lines import lines_of
from told_stories import HELD_OUT_LINES, TALKS, talk_in

from finassist import Caller, ChatMessage, Finassist, Settings, open_container
from finassist.domain.calculators.stories.story import NONE
from finassist.domain.conversations.message import Message

NEAR = 0.0005
CENT = 0.011
"""A figure is met by one that differs by so much of it, or by a cent."""
_NUMBER = re.compile(r"\d[\d,]*\.?\d*")
_TIME = re.compile(r"(\d+) years?(?: and (\d+) months?)?")
_ASKED_BACK = re.compile(r"\bI need\b.*\bnumber")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--wrong", action="store_true", help="print the messages that got a wrong figure")
    parser.add_argument("--talks", action="store_true", help="ask conversations")
    arguments = parser.parse_args()
    if arguments.talks:
        lines = [line for line in lines_of(TALKS) if talk_in(line).is_held_out]
    else:
        lines = lines_of(HELD_OUT_LINES)
    talks = [line["turns"] if arguments.talks else [line["text"]] for line in lines]
    outcomes = list(zip(lines, asyncio.run(last_replies(talks)), strict=True))
    if arguments.wrong:
        for line, reply in outcomes:
            if outcome(line, reply) == "wrong":
                asked = " >> ".join(line["turns"] if arguments.talks else [line["text"]])
                print(f"{asked}\n    {line.get('figures')}: {reply.content[:80]!r}")
    for kind in dict.fromkeys(map(kind_of, lines)):
        found = Counter(outcome(line, reply) for line, reply in outcomes if kind_of(line) == kind)
        print(kind, dict(found.most_common()))


def kind_of(line: dict[str, Any]) -> str:
    if line["story"] == NONE:
        return "without a sum"
    return "lacking a number" if "lacks" in line else "whole"


async def last_replies(talks: Sequence[Sequence[str]]) -> Sequence[Message]:
    """What the service answers to the last message of each conversation."""
    replies = []
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            data_dir=Path(folder),
            free_message_threshold=1000,
            chat_rate_per_minute=10_000,
            new_guests_per_address_per_hour=0,
        )
        async with open_container(settings) as service:
            for number, messages in enumerate(talks):
                guest = await service.resolve_caller(
                    bearer=None, device_id=f"sums-{number:06}", platform=None, address="127.0.0.1"
                )
                replies.append(await last_reply(service, guest, messages))
    return replies


async def last_reply(service: Finassist, guest: Caller, messages: Sequence[str]) -> Message:
    conversation_id = None
    for message in messages:
        asked = ChatMessage(message=message, conversation_id=conversation_id)
        reply = (await (await service.send_message(guest, asked)).ending()).message
        conversation_id = reply.conversation_id
    return reply


def outcome(line: dict[str, Any], reply: Message) -> str:
    """Whether the reply is right, wrong, asks for a number, or calculates nothing."""
    if not reply.tool_calls:
        return "asks for a number" if _ASKED_BACK.search(reply.content) else "not calculated"
    if line["story"] == NONE:
        return "wrong"
    if "lacks" in line:
        return "calculated"
    told = list(numbers_in(reply.content))
    is_right = all(
        any(abs(one - abs(figure)) <= tolerance(figure) for one in told) for figure in line["figures"]
    )
    return "right" if is_right else "wrong"


def tolerance(figure: float) -> float:
    return max(CENT, abs(figure) * NEAR)


def numbers_in(text: str) -> Iterator[float]:
    """The numbers of an English reply without their signs, and times of years and months in months."""
    for years, months in _TIME.findall(text):
        yield int(years) * 12 + int(months or 0)
    for found in _NUMBER.findall(text):
        if digits := found.replace(",", "").rstrip("."):
            yield float(digits)


if __name__ == "__main__":
    main()
