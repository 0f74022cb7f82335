"""Bank statements over HTTP: a file with a message, exact answers, and the events of the tool."""

import json
from base64 import b64encode
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest

from finassist.adapters.llm.offline.model import OfflineModel
from http_service import DEVICE, Service, Start
from unit.statements.exports import EXPORTS, Export

CHAT = "/api/v1/ai/chat"
CSV = b"date,description,amount\n2025-01-03,Aldi,-23.50\n2025-01-05,Rent,-900\n2025-01-07,Netflix,-12.99\n"


def inline(content: bytes = CSV, mime_type: str = "text/csv", filename: str = "statement.csv") -> Any:
    return {"data": b64encode(content).decode(), "mimeType": mime_type, "filename": filename}


@pytest.fixture
async def offline(start: Start) -> Service:
    return await start(language_model=OfflineModel())


async def test_a_csv_of_three_lines_has_a_total(offline: Service) -> None:
    reply = await offline.ask("what did I spend in total?", DEVICE, attachments=[inline()])
    assert reply["message"]["content"].startswith("You spent 936.49 ")
    [call] = reply["toolCalls"]
    assert (call["name"], call["isError"]) == ("statement", False)
    assert call["result"]["figures"]["totals"][0]["out"] == "936.49"
    assert [row["place"] for row in call["result"]["rows"]] == ["row 2", "row 3", "row 4"]

    later = await offline.ask("what was my biggest expense?", DEVICE, conversation_id=reply["conversationId"])
    assert "5 January 2025: Rent, -900.00 [statement.csv, row 3]" in later["message"]["content"]


@pytest.mark.parametrize("export", EXPORTS[::7], ids=lambda export: export.name)
async def test_exports_of_banks_are_answered(offline: Service, export: Export) -> None:
    file = inline(export.content, export.mime_type, export.filename)
    reply = await offline.ask("what did I spend in total?", DEVICE, attachments=[file])
    totals = reply["toolCalls"][0]["result"]["figures"]["totals"]
    assert {each["currency"]: each["out"] for each in totals} == {
        currency: f"{out:.2f}" for currency, (out, _) in export.totals.items()
    }


async def test_the_tool_is_seen_in_the_stream(offline: Service) -> None:
    body = {"message": "what did I spend in total?", "attachments": [inline()]}
    headers = {**DEVICE, "Accept": "text/event-stream", "X-Stream-Response": "true"}
    response = await offline.client.post(CHAT, json=body, headers=headers)
    events = [json.loads(line[6:]) for line in response.text.splitlines() if line.startswith("data: ")]
    kinds = [event["type"] for event in events]
    assert kinds[:2] == ["tool_call", "tool_result"]
    assert events[1]["result"]["series"]["points"][0]["out"] == "936.49"


async def test_a_broken_workbook_is_refused(offline: Service) -> None:
    file = inline(b"PK\x03\x04 not an archive", filename="a.xlsx", mime_type="application/octet-stream")
    response = await offline.client.post(
        CHAT, json={"message": "what did I spend?", "attachments": [file]}, headers=DEVICE
    )
    assert response.status_code == 400


async def test_what_payments_count_as_is_in_the_export_of_a_guest(offline: Service) -> None:
    first = await offline.ask("what did I spend?", DEVICE, attachments=[inline()])
    said = await offline.ask("count Netflix as leisure", DEVICE, conversation_id=first["conversationId"])
    assert said["toolCalls"][0]["name"] == "statement_category"
    exported = await offline.client.get("/api/v1/auth/me/export", headers=DEVICE)
    with ZipFile(BytesIO(exported.content)) as archive:
        kept = json.loads(archive.read("payee-categories.json"))
    assert kept == {"payeeCategories": [{"payee": "netflix", "category": "Leisure"}]}
