"""Makes many parallel calls on a database from a process of its own.

Each line on standard input is an order: URL, verb, number of calls, argument, as a list in JSON. The worker
opens the database, writes ``ready``, waits for another line, makes the calls all at once, closes the database
and writes the results as one line of JSON. It ends with its standard input.
"""

import asyncio
import json
import secrets
import sys
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

from finassist.domain.catalogs.preprompts import KeyTaken, Preprompt
from finassist.domain.profile_cards import ProfileAnswer
from finassist.domain.users import Platform
from stores import NOW, Store, after, conversation_of, embed_of, identity_of, new_id, open_store, turn_of


async def reserve_message(store: Store, subject: str) -> Any:
    return await store.quotas.reserve_message(subject, new_id(), threshold=10, now=NOW) is not None


async def hit(store: Store, key: str) -> Any:
    return (await store.rate_windows.hit(key, limit=20, window_seconds=60, now=NOW)).allowed


async def get_or_create(store: Store, device_id: str) -> Any:
    device = await store.devices.get_or_create(
        device_id, Platform.WEB, guest_user_id=new_id(), guest_owner_id=new_id(), now=NOW
    )
    return [device.guest_user_id, device.guest_owner_id]


async def begin_turn(store: Store, conversation_id: str) -> Any:
    return await store.messages.begin_turn(*turn_of(conversation_id), None)


async def begin_conversation(store: Store, conversation_id: str) -> Any:
    conversation = conversation_of("owner-1", id=conversation_id)
    return await store.messages.begin_turn(*turn_of(conversation_id), conversation)


async def upsert_identity(store: Store, subject: str) -> Any:
    user = await store.users.upsert_identity(identity_of(subject), new_user_id=new_id(), now=NOW)
    return user.id


async def rotate(store: Store, token_hash: str) -> Any:
    rotation = await store.refresh_tokens.rotate(
        token_hash, new_hash=new_id(), now=NOW, expires_at=after(60), grace_seconds=0
    )
    return rotation.outcome


async def admit(store: Store, key: str) -> Any:
    return await store.sign_in_failures.admit(key, NOW)


async def use_recovery_code(store: Store, code_hash: str) -> Any:
    return await store.second_factors.use_recovery_code("ann", code_hash)


async def take_form(store: Store, ticket_hash: str) -> Any:
    return await store.login_forms.take(ticket_hash, NOW) is not None


async def begin_card_session(store: Store, user_id: str) -> Any:
    while True:
        profile = await store.profile_cards.get(user_id)
        if await store.profile_cards.begin_session(
            user_id, after_revision=profile.revision, shown=["card-1"], now=NOW
        ):
            return profile.session_count + 1


async def answer_card(store: Store, user_id: str) -> Any:
    key = f"question_{new_id()}"
    await store.profile_cards.save_answers(user_id, {key: ProfileAnswer(value=key)}, NOW)
    return key


async def create_preprompt(store: Store, key: str) -> Any:
    new = Preprompt(
        id=new_id(), key=key, public_value="Label", masked_value="Text", created_at=NOW, updated_at=NOW
    )
    try:
        await store.preprompts.create(new)
    except KeyTaken:
        return False
    return True


async def claim_filling(store: Store, now: str) -> Any:
    moment = datetime.fromisoformat(now)
    return await store.catalog_filling.claim(now=moment, until=moment + timedelta(minutes=1), done=False)


async def view_as_one(store: Store, share_id: str) -> Any:
    return await store.shares.record_view(share_id, "0" * 32, NOW)


async def view_as_many(store: Store, share_id: str) -> Any:
    return await store.shares.record_view(share_id, secrets.token_hex(16), NOW)


async def share_status(store: Store, share_id: str) -> Any:
    share = await store.shares.get(share_id)
    return None if share is None else share.status(NOW)


async def add_quote_image(store: Store, category_key: str) -> Any:
    embed = embed_of(category_key)
    await store.quote_images.add([embed])
    return embed.id


async def delete_quote_image(store: Store, embed_id: str) -> Any:
    return await store.quote_images.delete(embed_id) is not None


async def probe(store: Store, _: str) -> Any:
    await store.database_probe.write()


VERBS: dict[str, Callable[[Store, str], Awaitable[Any]]] = {
    verb.__name__: verb
    for verb in (
        reserve_message,
        hit,
        get_or_create,
        begin_turn,
        begin_conversation,
        upsert_identity,
        rotate,
        admit,
        use_recovery_code,
        take_form,
        begin_card_session,
        answer_card,
        create_preprompt,
        claim_filling,
        view_as_one,
        view_as_many,
        share_status,
        add_quote_image,
        delete_quote_image,
        probe,
    )
}


async def carry_out(url: str, verb: str, calls: int, argument: str) -> None:
    async with open_store(url) as store:
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        results = await asyncio.gather(*(VERBS[verb](store, argument) for _ in range(calls)))
    print(json.dumps(results), flush=True)


if __name__ == "__main__":
    while order := sys.stdin.readline():
        asyncio.run(carry_out(*json.loads(order)))
