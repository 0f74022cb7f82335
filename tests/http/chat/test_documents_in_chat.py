"""Documents, tables and web pages that come with a chat message are read (contract section 4)."""

from base64 import b64encode
from typing import Any

import pytest

from documents import pdf
from file_service import text_of
from finassist.adapters.llm.offline.model import OfflineModel
from finassist.application.ports.language_model import FilePart
from finassist.domain.files.content import WORD, WORKBOOK
from finassist.testing import ScriptedModel
from http_service import DEVICE, Service, Start, offending
from office import BODY, BUDGET, with_entities, with_rows, word_document
from pictures import jpeg_with

CHAT = "/api/v1/ai/chat"
UNKNOWN = "application/octet-stream"
TERMS = word_document("Terms of the loan", "The early repayment fee is 1 percent.", table=[["Rate", "5 %"]])


def inline(content: bytes, mime_type: str, filename: str) -> dict[str, str]:
    return {"data": b64encode(content).decode(), "mimeType": mime_type, "filename": filename}


@pytest.fixture
async def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
async def service(start: Start, model: ScriptedModel) -> Service:
    return await start(language_model=model)


@pytest.mark.parametrize(
    ("content", "mime_type", "filename", "shown"),
    [
        (TERMS, WORD, "terms.docx", "The early repayment fee is 1 percent.\nRate | 5 %"),
        (BUDGET, WORKBOOK, "budget.xlsx", "[sheet Costs]\nItem | Amount\nRent | 900"),
        (b"Item;Amount\nMiete f\xfcr Mai;900", "text/csv", "costs.csv", "Miete für Mai;900"),
        (b"# Costs\n- rent 900", "text/markdown", "costs.md", "# Costs\n- rent 900"),
        (b'{"rent": 900}', "application/json", "costs.json", '{"rent": 900}'),
        (b"<p>Rent<script>x()</script><td>900", "text/html", "costs.html", "Rent\n900"),
    ],
)
async def test_the_model_gets_the_text_of_a_document(
    service: Service, model: ScriptedModel, content: bytes, mime_type: str, filename: str, shown: str
) -> None:
    reply = await service.ask("What is in it?", attachments=[inline(content, mime_type, filename)])
    assert shown in text_of(model.requests[0])
    assert reply["message"]["content"] == "Hello there."
    path = f"/api/v1/user/conversations/{reply['conversationId']}/messages"
    question, _ = (await service.client.get(path, headers=DEVICE)).json()["data"]["messages"]
    [attachment] = question["attachments"]
    assert (attachment["filename"], attachment["mimeType"]) == (filename, mime_type)
    assert (await service.client.get(attachment["url"])).content == content


@pytest.mark.parametrize(
    ("declared", "filename", "content", "mime_type", "shown"),
    [
        ("application/vnd.ms-excel", "costs.csv", b"Item;Amount\nRent;900", "text/csv", "Rent;900"),
        (UNKNOWN, "costs.csv", b"Item;Amount\nRent;900", "text/csv", "Rent;900"),
        (UNKNOWN, "costs.md", b"# Costs\n- rent 900", "text/markdown", "- rent 900"),
        (UNKNOWN, "costs.html", b"<p>Rent<td>900", "text/html", "Rent\n900"),
        (UNKNOWN, "terms.docx", TERMS, WORD, "The early repayment fee is 1 percent."),
        ("application/zip", "budget.xlsx", BUDGET, WORKBOOK, "Rent | 900"),
        (UNKNOWN, "terms.pdf", pdf("The fee is 1 percent."), "application/pdf", "The fee is 1 percent."),
    ],
)
async def test_name_and_content_tell_what_the_declared_type_does_not(
    service: Service,
    model: ScriptedModel,
    declared: str,
    filename: str,
    content: bytes,
    mime_type: str,
    shown: str,
) -> None:
    reply = await service.ask("What is in it?", attachments=[inline(content, declared, filename)])
    assert shown in text_of(model.requests[0])
    path = f"/api/v1/user/conversations/{reply['conversationId']}/messages"
    question, _ = (await service.client.get(path, headers=DEVICE)).json()["data"]["messages"]
    assert [each["mimeType"] for each in question["attachments"]] == [mime_type]


async def test_a_picture_of_no_declared_type_is_one_and_loses_its_metadata(service: Service) -> None:
    photo = inline(jpeg_with(b"Exif\0\0 of Ann"), UNKNOWN, "photo.jpg")
    reply = await service.ask("?", attachments=[photo])
    path = f"/api/v1/user/conversations/{reply['conversationId']}/messages"
    question, _ = (await service.client.get(path, headers=DEVICE)).json()["data"]["messages"]
    [attachment] = question["attachments"]
    assert attachment["mimeType"] == "image/jpeg"
    assert b"Ann" not in (await service.client.get(attachment["url"])).content


@pytest.mark.parametrize(
    ("declared", "filename", "content"),
    [
        (UNKNOWN, "costs.csv", b"\0\1\2"),
        (UNKNOWN, "terms.docx", b"not an archive"),
        ("application/vnd.ms-excel", "costs.xls", b"\xd0\xcf\x11\xe0"),
    ],
)
async def test_no_decoder_reads_what_only_the_name_claims(
    service: Service, declared: str, filename: str, content: bytes
) -> None:
    reply = await service.ask("?", attachments=[inline(content, declared, filename)])
    assert f"I cannot read files like {filename}." in reply["message"]["content"]


async def test_a_picture_under_a_name_and_a_type_that_it_is_not_is_refused(service: Service) -> None:
    sent = inline(jpeg_with(b""), "application/vnd.ms-excel", "costs.csv")
    for message in ("?", " "):  # also beside what else is wrong
        body: dict[str, Any] = {"message": message, "attachments": [sent]}
        response = await service.client.post(CHAT, json=body, headers=DEVICE)
        wrong = {"attachments[0].data"} | ({"message"} if message == " " else set())
        assert offending(response) == wrong


async def test_a_document_is_listed_as_text(service: Service) -> None:
    alice = await service.token("alice")
    await service.ask("?", alice, attachments=[inline(BUDGET, WORKBOOK, "budget"), inline(TERMS, WORD, "t")])
    page = (await service.client.get("/api/v1/files", headers=alice)).json()["data"]
    assert {(file["kind"], file["filename"]) for file in page["files"]} == {
        ("text", "budget.xlsx"),
        ("text", "t.docx"),
    }


async def test_a_document_is_read_again_in_later_turns(service: Service, model: ScriptedModel) -> None:
    first = await service.ask("Look.", attachments=[inline(TERMS, WORD, "terms.docx")])
    await service.ask("And the fee?", conversation_id=first["conversationId"])
    earlier = [part for message in model.requests[-1].messages[:-1] for part in message.parts]
    assert any("early repayment fee" in part.text for part in earlier if isinstance(part, FilePart))


async def test_a_long_workbook_is_cut_and_the_user_is_told(service: Service, model: ScriptedModel) -> None:
    row = b"<row>" + b"<c><v>123456</v></c>" * 20 + b"</row>"
    reply = await service.ask("?", attachments=[inline(with_rows(row * 1000), WORKBOOK, "long.xlsx")])
    assert "(long.xlsx is long: I have read only 1 of its 2 sheets.)" in reply["message"]["content"]
    assert len(text_of(model.requests[0])) < 33_000


async def test_an_empty_document_is_named_and_the_user_is_told(
    service: Service, model: ScriptedModel
) -> None:
    reply = await service.ask("?", attachments=[inline(word_document(""), WORD, "empty.docx")])
    assert "I found no text in empty.docx." in reply["message"]["content"]


async def test_hostile_documents_are_all_listed_in_one_answer(service: Service) -> None:
    files = [
        inline(with_entities(TERMS, BODY), WORD, "a.docx"),
        inline(BUDGET, WORKBOOK, "b.xlsx"),
        inline(b"PK\x03\x04", WORKBOOK, "c.xlsx"),
        inline(with_rows(b'<row r="99999999999"/>'), WORKBOOK, "d.xlsx"),
    ]
    body: dict[str, Any] = {"message": "?", "attachments": files}
    response = await service.client.post(CHAT, json=body, headers=DEVICE)
    assert offending(response) == {f"attachments[{at}].data" for at in (0, 2, 3)}
    messages = [detail["message"] for detail in response.json()["error"]["details"]]
    assert messages[0] == "Must not declare a document type (DTD)."
    assert messages[1] == "Must be a whole workbook: this one is truncated or damaged."


@pytest.mark.parametrize(
    ("question", "content", "mime_type", "filename", "line"),
    [
        ("How much is the rent?", BUDGET, WORKBOOK, "budget.xlsx", "Rent | 900 [budget.xlsx, sheet Costs]"),
        (
            "What is the early repayment fee?",
            TERMS,
            WORD,
            "terms.docx",
            "The early repayment fee is 1 percent. [terms.docx]",
        ),
        ("How much is the rent?", b"Item,Amount\nRent,900", "text/csv", "c.csv", "Rent,900 [c.csv]"),
        (
            "How much is the rent?",
            b"<h1>Costs</h1><p>The rent is 900.",
            "text/html",
            "c.html",
            "The rent is 900. [c.html]",
        ),
    ],
)
async def test_the_offline_model_quotes_the_line_that_answers(
    start: Start, question: str, content: bytes, mime_type: str, filename: str, line: str
) -> None:
    service = await start(language_model=OfflineModel())
    reply = await service.ask(question, attachments=[inline(content, mime_type, filename)])
    assert line in reply["message"]["content"]
