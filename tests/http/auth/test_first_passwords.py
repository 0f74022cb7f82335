"""A first email and a first password for an account that began without them, by phone or social sign-in
(contract section 3)."""

from typing import Any

import httpx2
import pytest

from finassist.domain.auth.local_accounts import SocialIdentity, TokenSet
from finassist.testing import RecordingEmail
from http_service import AUTH, Service, Start, offending, post

EMAIL = "ann@example.org"
PHONE = "+491701234567"
NEW = "Brand-new-456"


@pytest.fixture
def mails() -> RecordingEmail:
    return RecordingEmail()


@pytest.fixture
async def service(start: Start, mails: RecordingEmail) -> Service:
    return await start({}, email_sender=mails)


@pytest.fixture
async def stored(start: Start, database: dict[str, Any], mails: RecordingEmail) -> Service:
    """The service on each kind of database."""
    return await start(database, email_sender=mails)


def bearer(tokens: TokenSet) -> dict[str, str]:
    return {"Authorization": f"Bearer {tokens.access_token}"}


async def by_phone(service: Service) -> dict[str, str]:
    """The header of a user who signed up by phone."""
    return bearer(await service.finassist.adapters.identity_provider.sign_in_phone(PHONE))


async def by_social(service: Service) -> dict[str, str]:
    """The header of a user who signed up with a social provider, which has verified the email."""
    social = SocialIdentity(
        issuer="https://social.test", subject="1", email=EMAIL, email_verified=True, name="Ann", picture=None
    )
    return bearer(await service.finassist.adapters.identity_provider.exchange_social(social, ""))


async def verify(service: Service, mails: RecordingEmail, ann: dict[str, str]) -> httpx2.Response:
    sent = await post(service, "email/verify/send", {"email": EMAIL}, **ann)
    assert sent.status_code == 200, sent.text
    return await post(service, "email/verify", {"token": mails.token_for(EMAIL)})


async def me(service: Service, headers: dict[str, str]) -> dict[str, Any]:
    response = await service.client.get(f"{AUTH}/me", headers=headers)
    data: dict[str, Any] = response.json()["data"]["user"]
    return data


def code(response: httpx2.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


async def sign_in(service: Service, password: str = NEW) -> httpx2.Response:
    return await post(service, "signin", {"email": EMAIL, "password": password})


async def test_a_user_of_a_phone_gets_an_email_and_a_password(stored: Service, mails: RecordingEmail) -> None:
    ann = await by_phone(stored)
    assert (await me(stored, ann))["email"].endswith("@phone.invalid")

    assert (await verify(stored, mails, ann)).status_code == 200
    assert (await me(stored, ann))["email"] == EMAIL
    other = await by_phone(stored)
    changed = await post(stored, "password/change", {"password": NEW}, **ann)

    assert changed.status_code == 200, changed.text
    user = (await sign_in(stored)).json()["data"]["user"]
    assert user["id"] == (await me(stored, ann))["id"]
    assert (user["email"], user["emailVerified"], user["phone"]) == (EMAIL, True, PHONE)
    assert (await stored.client.get(f"{AUTH}/me", headers=other)).status_code == 401, "other sessions end"


async def test_a_user_of_a_social_provider_sets_a_first_password(service: Service) -> None:
    ann = await by_social(service)

    assert (await post(service, "password/change", {"password": NEW}, **ann)).status_code == 200
    assert (await sign_in(service)).json()["data"]["user"]["id"] == (await me(service, ann))["id"]


async def test_a_first_password_needs_a_recent_sign_in(service: Service) -> None:
    ann = await by_social(service)
    service.clock.advance(300)
    assert (await post(service, "password/change", {"password": "short"}, **ann)).status_code == 400
    service.clock.advance(1)

    refused = await post(service, "password/change", {"password": NEW}, **ann)

    assert code(refused) == (401, "UNAUTHORIZED")
    assert (await sign_in(service)).status_code == 401


async def test_refreshed_tokens_are_no_recent_sign_in(service: Service) -> None:
    provider = service.finassist.adapters.identity_provider
    tokens = await provider.sign_in_phone(PHONE)
    service.clock.advance(301)
    assert tokens.refresh_token is not None
    fresh = await provider.refresh(tokens.refresh_token)

    refused = await post(service, "password/change", {"password": NEW}, **bearer(fresh))

    assert code(refused) == (401, "UNAUTHORIZED")


async def test_a_first_email_needs_a_recent_sign_in(service: Service, mails: RecordingEmail) -> None:
    ann = await by_phone(service)
    service.clock.advance(301)

    refused = await post(service, "email/verify/send", {"email": EMAIL}, **ann)

    assert code(refused) == (401, "UNAUTHORIZED")
    assert mails.sent == []


async def test_a_first_password_needs_a_verified_email(service: Service, mails: RecordingEmail) -> None:
    ann = await by_phone(service)
    await post(service, "email/verify/send", {"email": EMAIL}, **ann)

    assert code(await post(service, "password/change", {"password": NEW}, **ann)) == (409, "INVALID_STATE")


async def test_who_has_a_password_cannot_leave_it_out(service: Service) -> None:
    body = {"email": EMAIL, "password": "Secret-123", "name": "Ann"}
    token = (await post(service, "signup", body)).json()["data"]["accessToken"]
    ann = {"Authorization": f"Bearer {token}"}

    for current in ({}, {"currentPassword": None}):
        response = await post(service, "password/change", {"password": NEW, **current}, **ann)
        assert offending(response) == {"currentPassword"}
    assert (await sign_in(service, "Secret-123")).status_code == 200


async def test_an_email_that_was_not_proven_is_nobodys(service: Service, mails: RecordingEmail) -> None:
    ann = await by_phone(service)
    await post(service, "email/verify/send", {"email": EMAIL}, **ann)

    assert (await me(service, ann))["email"].endswith("@phone.invalid")
    await post(service, "password/forgot", {"email": EMAIL})
    await service.finassist.workers.outbox.sent()
    assert len(mails.sent) == 1, "only the mail to verify"


async def test_without_an_email_there_is_nothing_to_verify(service: Service) -> None:
    ann = await by_phone(service)

    assert code(await post(service, "email/verify/send", **ann)) == (409, "INVALID_STATE")
    for wrong in ("nowhere", "1@phone.invalid"):
        assert offending(await post(service, "email/verify/send", {"email": wrong}, **ann)) == {"email"}


async def test_an_email_is_not_replaced_by_another(service: Service, mails: RecordingEmail) -> None:
    ann = await by_phone(service)
    await verify(service, mails, ann)

    other = await post(service, "email/verify/send", {"email": "ben@example.org"}, **ann)

    assert code(other) == (409, "INVALID_STATE")
    assert len(mails.sent) == 1


async def test_of_two_emails_under_way_the_first_that_is_proven_counts(
    service: Service, mails: RecordingEmail
) -> None:
    ann = await by_phone(service)
    for email in (EMAIL, "ben@example.org"):
        await post(service, "email/verify/send", {"email": email}, **ann)

    first = await post(service, "email/verify", {"token": mails.token_for("ben@example.org")})
    second = await post(service, "email/verify", {"token": mails.token_for(EMAIL)})

    assert (first.status_code, offending(second)) == (200, {"token"})
    assert (await me(service, ann))["email"] == "ben@example.org"


async def test_an_email_that_a_user_has_verified_joins_the_phone_to_that_user(
    stored: Service, mails: RecordingEmail
) -> None:
    social, phone = await by_social(stored), await by_phone(stored)
    await stored.ask("From the phone", phone)

    assert (await verify(stored, mails, phone)).status_code == 200

    first = await me(stored, social)
    assert (await me(stored, phone))["id"] == first["id"]
    listed = await stored.client.get("/api/v1/user/conversations", headers=social)
    assert [each["title"] for each in listed.json()["data"]["conversations"]] == ["From the phone"]
    assert (await post(stored, "password/change", {"password": NEW}, **phone)).status_code == 200
    assert (await sign_in(stored)).json()["data"]["user"]["id"] == first["id"]


async def test_an_email_that_somebody_signed_up_with_and_never_proved_is_free(
    service: Service, mails: RecordingEmail
) -> None:
    body = {"email": EMAIL, "password": "Secret-123", "name": "Squatter"}
    squatter = (await post(service, "signup", body)).json()["data"]["user"]["id"]
    ann = await by_phone(service)

    assert (await verify(service, mails, ann)).status_code == 200
    assert (await post(service, "password/change", {"password": NEW}, **ann)).status_code == 200

    assert (await sign_in(service)).json()["data"]["user"]["id"] == (await me(service, ann))["id"] != squatter
