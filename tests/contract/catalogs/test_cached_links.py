"""What a process remembers of the links is never older than a change that it has acknowledged."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from finassist.adapters.data_files.links import default_links
from finassist.application.links import GetLinks, SetLinks
from finassist.application.ports.catalogs import LinkRepository
from finassist.domain.errors import ServiceUnavailable
from finassist.testing import FakeClock
from stores import Store
from waiting import until

OLD, NEW = "https://old.test", "https://new.test"


@dataclass
class HeldLinks:
    """The links of a database; each result reaches its caller when it is let go."""

    links: LinkRepository
    held: list[asyncio.Future[None]] = field(default_factory=list)

    async def get(self) -> Mapping[str, str]:
        return await self._deliver(await self.links.get())

    async def set(self, values: Mapping[str, str]) -> Mapping[str, str]:
        return await self._deliver(await self.links.set(values))

    async def _deliver(self, read: Mapping[str, str]) -> Mapping[str, str]:
        self.held.append(asyncio.get_running_loop().create_future())
        await self.held[-1]
        return read

    async def read(self, calls: int) -> None:
        """Wait until so many calls have their result from the database."""
        await until(lambda: len(self.held) >= calls)


@pytest.fixture
def held(store: Store) -> HeldLinks:
    return HeldLinks(store.links)


@pytest.fixture
def get_links(held: HeldLinks) -> GetLinks:
    return GetLinks(links=held, default_links=default_links(), clock=FakeClock())


@pytest.fixture
def set_links(held: HeldLinks, get_links: GetLinks) -> SetLinks:
    return SetLinks(links=held, get_links=get_links, default_links=default_links())


async def shown(store: Store, get_links: GetLinks, held: HeldLinks) -> str:
    reading = asyncio.create_task(get_links())
    await held.read(3)
    held.held[2].set_result(None)
    return (await reading).system_urls.faqs


async def test_of_two_parallel_changes_the_later_one_is_shown_whichever_ends_first(
    store: Store, held: HeldLinks, get_links: GetLinks, set_links: SetLinks
) -> None:
    first = asyncio.create_task(set_links({"faqs": OLD}))
    await held.read(1)
    second = asyncio.create_task(set_links({"faqs": NEW}))
    await held.read(2)
    held.held[1].set_result(None)
    await second
    held.held[0].set_result(None)
    await first

    assert await shown(store, get_links, held) == NEW


async def test_links_that_were_read_before_a_change_are_not_remembered_after_it(
    store: Store, held: HeldLinks, get_links: GetLinks, set_links: SetLinks
) -> None:
    reading = asyncio.create_task(get_links())
    await held.read(1)
    change = asyncio.create_task(set_links({"faqs": NEW}))
    await held.read(2)
    held.held[1].set_result(None)
    await change
    held.held[0].set_result(None)
    await reading

    assert await shown(store, get_links, held) == NEW


async def test_a_change_whose_answer_was_lost_is_shown(
    store: Store, held: HeldLinks, get_links: GetLinks, set_links: SetLinks
) -> None:
    reading = asyncio.create_task(get_links())
    await held.read(1)
    held.held[0].set_result(None)
    await reading
    change = asyncio.create_task(set_links({"faqs": NEW}))
    await held.read(2)
    held.held[1].set_exception(ServiceUnavailable())
    with pytest.raises(ServiceUnavailable):
        await change

    assert await shown(store, get_links, held) == NEW
