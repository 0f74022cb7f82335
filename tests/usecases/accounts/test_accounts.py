"""Changing one's own profile, where the world does not play along."""

from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from finassist.adapters.objects.local import LocalObjectStore
from finassist.adapters.system.fingerprints import HmacFingerprints
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.errors import NotFound, ServiceUnavailable, StorageError, ValidationFailed
from finassist.domain.users import Caller, Identity, ProfileChanges, User
from finassist.testing import FakeClock, ScriptedModel
from usecases.conftest import opened

NOTHING = ProfileChanges()


class Store(LocalObjectStore):
    """The local store, which fails at the verbs in ``broken`` and notes whom deletes are seen by."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, base_url="", fingerprints=HmacFingerprints(b"key"), clock=FakeClock())
        self.folder = folder
        self.broken: set[str] = set()
        self.before_delete: Any = None

    async def put(self, *arguments: Any) -> None:
        if "put" in self.broken:
            raise StorageError("The file store does not answer.")
        await super().put(*arguments)

    async def delete(self, key: str) -> None:
        if "delete" in self.broken:
            raise StorageError("The file store does not answer.")
        if self.before_delete is not None:
            await self.before_delete(key)
        await super().delete(key)

    def stored(self) -> set[str]:
        return {str(file.relative_to(self.folder)) for file in self.folder.rglob("*") if file.is_file()}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "objects")


@pytest.fixture
async def service(settings: Settings, store: Store, model: ScriptedModel) -> AsyncIterator[Any]:
    async with opened(settings, language_model=model, object_store=store) as container:
        yield container


@pytest.fixture
async def ann(service: Finassist) -> User:
    now = service.adapters.clock.now()
    identity = Identity(issuer="local", subject="ann", provider="local", issued_at=now, expires_at=now)
    user: User = await service.find_token_user(identity)
    return user


@pytest.fixture
def caller(ann: User) -> Caller:
    return Caller.registered(ann, None)


def picture() -> bytes:
    content = BytesIO()
    Image.new("RGB", (20, 20)).save(content, "PNG")
    return content.getvalue()


async def key_of(service: Finassist, ann: User) -> str | None:
    user = await service.adapters.users.get(ann.id)
    assert user is not None
    return user.avatar_key


@pytest.mark.engine
async def test_a_picture_that_cannot_be_stored_leaves_the_old_one(
    service: Finassist, store: Store, ann: User, caller: Caller
) -> None:
    await service.update_account(caller, NOTHING, picture())
    old = await key_of(service, ann)
    store.broken.add("put")
    with pytest.raises(StorageError):
        await service.update_account(caller, ProfileChanges(full_name="X"), picture())
    assert store.stored() == {old}
    assert await key_of(service, ann) == old
    assert (await service.get_account(caller)).user.name == "User"


@pytest.mark.engine
async def test_the_old_picture_goes_once_the_user_has_the_new_one(
    service: Finassist, store: Store, ann: User, caller: Caller
) -> None:
    await service.update_account(caller, NOTHING, picture())
    old = await key_of(service, ann)
    seen = []

    async def look(key: str) -> None:
        seen.append((key, await key_of(service, ann), store.stored()))

    store.before_delete = look
    await service.update_account(caller, NOTHING, picture())
    new = await key_of(service, ann)
    assert seen == [(old, new, {old, new})]
    assert store.stored() == {new}


@pytest.mark.engine
async def test_an_old_picture_that_cannot_be_deleted_is_no_failure(
    service: Finassist, store: Store, ann: User, caller: Caller
) -> None:
    await service.update_account(caller, NOTHING, picture())
    store.broken.add("delete")
    profile = await service.update_account(caller, ProfileChanges(clear_avatar=True), None)
    assert profile.avatar_url is None
    assert await key_of(service, ann) is None


@pytest.mark.engine
async def test_a_picture_of_nobody_is_not_kept(service: Finassist, store: Store, ann: User) -> None:
    stranger = Caller(user_id="f" * 24, is_guest=False, owner_id="f" * 24, owner_ids=("f" * 24,))
    with pytest.raises(NotFound):
        await service.update_account(stranger, NOTHING, picture())
    assert store.stored() == set()


async def test_what_is_no_picture_changes_nothing(
    service: Finassist, store: Store, ann: User, caller: Caller
) -> None:
    with pytest.raises(ValidationFailed):
        await service.update_account(caller, ProfileChanges(full_name="X"), b"no picture")
    assert store.stored() == set()
    assert (await service.get_account(caller)).user.name == "User"


@pytest.mark.engine
async def test_without_the_database_the_new_picture_may_stay_but_the_old_one_does_not_go(
    service: Finassist, store: Store, ann: User, caller: Caller
) -> None:
    await service.update_account(caller, NOTHING, picture())
    old = await key_of(service, ann)
    await service.adapters.database.close()
    with pytest.raises(ServiceUnavailable):
        await service.update_account(caller, NOTHING, picture())
    assert old in store.stored()
