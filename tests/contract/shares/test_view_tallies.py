"""Views that MongoDB counts while their share is erased."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from beanie import Document

from engines.mongodb import empty_mongodb
from finassist.adapters.mongo.engine.pages import aggregate
from finassist.adapters.mongo.shares import views
from finassist.adapters.mongo.shares.documents import ShareTallyDocument, ShareViewerDocument
from finassist.domain.shares import ShareViews
from stores import NOW, open_store


async def test_a_view_whose_share_is_erased_meanwhile_leaves_no_tally(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def erased_before(kind: type[Document], *steps: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        await ShareViewerDocument.get_pymongo_collection().delete_many({})
        return await aggregate(kind, *steps)

    with empty_mongodb() as url:
        async with open_store(url) as store:
            with monkeypatch.context() as patched:
                patched.setattr(views, "aggregate", erased_before)
                assert await store.shares.record_view("share-1", "a" * 64, NOW)
            assert await store.shares.views("share-1") == ShareViews()
            assert await ShareTallyDocument.find_all().count() == 0
