"""Places that are shared fairly, and budgets of seconds."""

import asyncio

import pytest

from finassist.application.concurrency.budgets import WorkBudget
from finassist.application.concurrency.places import FairPlaces
from finassist.domain.errors import RateLimitExceeded, ServiceUnavailable
from finassist.domain.users import Caller


def caller(name: str, address: str = "") -> Caller:
    return Caller(user_id=name, is_guest=True, owner_id=name, owner_ids=(name,), address=address)


class Queue:
    """Takes places and notes who got one, in which order."""

    def __init__(self, places: FairPlaces) -> None:
        self.places = places
        self.admitted: list[str] = []
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def send(self, name: str, whose: Caller | None) -> None:
        async def take() -> None:
            await self.places.take(whose)
            self.admitted.append(name)

        self.tasks[name] = asyncio.create_task(take())
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def leave(self, whose: Caller | None) -> None:
        self.places.give_back(whose)
        await asyncio.sleep(0)
        await asyncio.sleep(0)


async def test_a_caller_has_one_place_and_those_behind_it_pass() -> None:
    ann, bob = caller("ann"), caller("bob")
    queue = Queue(FairPlaces(2))
    await queue.send("a1", ann)
    await queue.send("a2", ann)
    await queue.send("b1", bob)
    assert queue.admitted == ["a1", "b1"]
    await queue.leave(bob)
    assert queue.admitted == ["a1", "b1"]
    await queue.leave(ann)
    assert queue.admitted == ["a1", "b1", "a2"]


async def test_an_address_leaves_one_place_to_the_others() -> None:
    callers = [caller(name, "192.0.2.1") for name in "abc"]
    queue = Queue(FairPlaces(3))
    for each in callers:
        await queue.send(each.user_id, each)
    assert queue.admitted == ["a", "b"]
    await queue.send("d", caller("d", "192.0.2.2"))
    assert queue.admitted == ["a", "b", "d"]


async def test_the_only_place_goes_to_anybody() -> None:
    queue = Queue(FairPlaces(1))
    for name in "abc":
        await queue.send(name, caller(name, "192.0.2.1"))
    for name in "ab":
        await queue.leave(caller(name, "192.0.2.1"))
    assert queue.admitted == ["a", "b", "c"]


async def test_the_service_itself_shares_with_nobody() -> None:
    queue = Queue(FairPlaces(2))
    for name in "abc":
        await queue.send(name, None)
    assert queue.admitted == ["a", "b"]


async def test_who_stops_waiting_or_stops_when_admitted_blocks_nobody() -> None:
    ann = caller("ann")
    queue = Queue(FairPlaces(1))
    for name in ("a1", "a2", "a3", "a4"):
        await queue.send(name, ann)
    queue.tasks["a2"].cancel()
    await asyncio.sleep(0)
    queue.places.give_back(ann)  # admits the third, which is cancelled before it knows
    queue.tasks["a3"].cancel()
    await asyncio.gather(*queue.tasks.values(), return_exceptions=True)
    assert queue.admitted == ["a1", "a4"]


async def test_who_gives_a_place_back_is_no_victim_of_one_who_has_just_stopped_waiting() -> None:
    ann = caller("ann")
    queue = Queue(FairPlaces(1))
    for name in ("a1", "a2", "a3"):
        await queue.send(name, ann)
    queue.tasks["a2"].cancel()
    queue.places.give_back(ann)  # before the second has run again
    await asyncio.gather(*queue.tasks.values(), return_exceptions=True)
    assert queue.admitted == ["a1", "a3"]


@pytest.mark.parametrize(
    ("callers", "waiting"),
    [
        ([caller("ann", "192.0.2.1")] * 20, 2),
        ([caller(str(number), "192.0.2.1") for number in range(20)], 4),
        ([caller(str(number)) for number in range(20)], 8),
        ([None] * 20, 8),
    ],
    ids=["one caller", "one address", "many callers", "the service"],
)
async def test_so_many_wait_and_the_next_are_told_to_come_back(
    callers: list[Caller | None], waiting: int
) -> None:
    queue = Queue(FairPlaces(1, waiting_max=8))
    for at, each in enumerate(callers):
        await queue.send(str(at), each)
    refused = [task.exception() for task in queue.tasks.values() if task.done() and task.exception()]
    assert len(refused) == 20 - 1 - waiting
    assert all(isinstance(error, ServiceUnavailable) and error.retry_after for error in refused)
    for task in queue.tasks.values():
        task.cancel()


@pytest.fixture
def seconds() -> list[float]:
    return [0.0]


def test_a_budget_is_used_up_and_comes_back_within_a_minute(seconds: list[float]) -> None:
    budget = WorkBudget(10, now=lambda: seconds[0])
    budget.charge("a", 9.5)
    budget.require("a")
    budget.charge("a", 3.5)
    with pytest.raises(RateLimitExceeded) as refused:
        budget.require("a")
    assert refused.value.retry_after == 19
    budget.require("b")
    seconds[0] = 19
    budget.require("a")


def test_a_budget_of_0_sets_no_limit(seconds: list[float]) -> None:
    unlimited, limited = (WorkBudget(limit, now=lambda: seconds[0]) for limit in (0, 1))
    for budget in (unlimited, limited):
        budget.charge("a", 1000)
    unlimited.require("a")
    with pytest.raises(RateLimitExceeded):
        limited.require("a")


def test_a_budget_forgets_those_who_have_all_of_it_again(seconds: list[float]) -> None:
    budget = WorkBudget(10, now=lambda: seconds[0])
    for at in range(5000):
        seconds[0] = float(at)
        budget.charge(f"device-{at}", 1)
    assert len(budget._used) <= 1024
    budget.charge("device-4999", 10)
    with pytest.raises(RateLimitExceeded):
        budget.require("device-4999")
