"""Query parameters (contract section 1)."""

import httpx2
import pytest

from http_service import DEVICE, offending

LIST = "/api/v1/user/conversations"


@pytest.mark.parametrize(
    "limit", ["0", "101", "-1", "", "ten", "1.0", "1e1", " 5", "+5", "1_0", "9" * 30, "true", "%EF%BC%91"]
)
async def test_a_limit_is_a_whole_number_from_1_to_100(client: httpx2.AsyncClient, limit: str) -> None:
    assert offending(await client.get(f"{LIST}?limit={limit}", headers=DEVICE)) == {"limit"}


@pytest.mark.parametrize("offset", ["-1", "", "x", "9" * 19])
async def test_an_offset_is_a_whole_number_from_0_on(client: httpx2.AsyncClient, offset: str) -> None:
    assert offending(await client.get(f"{LIST}?offset={offset}", headers=DEVICE)) == {"offset"}


@pytest.mark.parametrize("offset", ["1" + "0" * 18, "9" * 30])
async def test_an_integer_that_is_too_large_is_called_so(client: httpx2.AsyncClient, offset: str) -> None:
    response = await client.get(f"{LIST}?offset={offset}", headers=DEVICE)
    [detail] = response.json()["error"]["details"]
    assert detail == {"field": "offset", "message": f"Expected an integer <= {10**18 - 1}."}
    assert (await client.get(f"{LIST}?offset={10**18 - 1}", headers=DEVICE)).status_code == 200


@pytest.mark.parametrize("pinned", ["1", "TRUE", "yes", "null", ""])
async def test_a_flag_is_true_or_false(client: httpx2.AsyncClient, pinned: str) -> None:
    assert offending(await client.get(f"{LIST}?pinned={pinned}", headers=DEVICE)) == {"pinned"}


@pytest.mark.parametrize("query", ["q=%00", "q=a%00b", "%00=1", "other=%00", "q=%ff", "q=%c3", "%ff=1"])
async def test_nul_and_invalid_utf8_in_a_query_are_a_validation_error(
    client: httpx2.AsyncClient, query: str
) -> None:
    assert len(offending(await client.get(f"{LIST}?{query}", headers=DEVICE))) == 1


async def test_every_offending_parameter_is_listed(client: httpx2.AsyncClient) -> None:
    query = f"limit=0&offset=-1&pinned=maybe&type=poem&status=deleted&q={'x' * 201}"
    assert offending(await client.get(f"{LIST}?{query}", headers=DEVICE)) == {
        "limit", "offset", "pinned", "type", "status", "q",
    }  # fmt: skip


async def test_a_text_that_looks_like_null_or_a_number_is_a_text(client: httpx2.AsyncClient) -> None:
    for text in ("null", "1", "true", "", "%C3%A9", "a%26b", "%25"):
        response = await client.get(f"{LIST}?q={text}", headers=DEVICE)
        assert response.status_code == 200, response.text


async def test_unknown_parameters_are_ignored(client: httpx2.AsyncClient) -> None:
    assert (await client.get(f"{LIST}?colour=blue", headers=DEVICE)).status_code == 200
