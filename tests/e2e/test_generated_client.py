"""A client that a stranger's tool generates from /openapi.json runs the story of the README.

Nothing here knows a path, a field or a shape but by the names that openapi-python-client made of them, save
for the stream, which it does not understand.
"""

import asyncio
import base64
import importlib
import io
import json
import os
import pkgutil
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from e2e.conftest import ServerProcess, Start

ROOT = Path(__file__).parents[2]
CONFIGURATION = ROOT / "examples" / "openapi-python-client.yaml"
PAGE = ROOT / "docs" / "interface" / "generated-clients.md"
PACKAGE = "finassist_client"
PRINTED_ADDRESS = "http://127.0.0.1:8000"
DEVICE = "my-phone"


async def run(program: str, *arguments: str, cwd: Path) -> str:
    """What the program of the virtual environment printed, of both kinds; it has to succeed."""
    folder = Path(sys.executable).parent
    process = await asyncio.create_subprocess_exec(
        *(str(folder / program), *arguments),
        cwd=cwd,
        env={**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    return output.decode()


async def generate(server: ServerProcess, folder: Path) -> str:
    """Make the package in ``folder``; returns what the generator said."""
    async with httpx2.AsyncClient() as http:
        (folder / "openapi.json").write_bytes((await http.get(f"{server.address}/openapi.json")).content)
    options = ("--path", "openapi.json", "--meta", "none", "--output-path", PACKAGE)
    strictly = ("--fail-on-warning", "--config", str(CONFIGURATION))
    return await run("openapi-python-client", "generate", *options, *strictly, cwd=folder)


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to generate the package in, from which it can be imported."""
    folder = tmp_path / "generated"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


class Generated:
    """The generated package: ``models``, and ``call`` for its operations."""

    def __init__(self) -> None:
        self.package: Any = importlib.import_module(PACKAGE)
        self.models: Any = importlib.import_module(f"{PACKAGE}.models")
        for module in pkgutil.walk_packages(self.package.__path__, f"{PACKAGE}."):
            importlib.import_module(module.name)

    async def call(self, operation: str, client: Any, **arguments: Any) -> Any:
        """Call ``tag.operation``; the answer has to be understood, and must not be a failure."""
        module = importlib.import_module(f"{PACKAGE}.api.{operation}")
        answer = await module.asyncio(client=client, **arguments)
        assert answer is not None, operation
        assert not isinstance(answer, self.models.ErrorEnvelope), answer
        return answer

    async def data(self, operation: str, client: Any, **arguments: Any) -> Any:
        """The data of what ``call`` gives."""
        return (await self.call(operation, client, **arguments)).data


async def stream(client: Any, question: Any) -> list[dict[str, Any]]:
    """The events of a streamed reply, through the httpx that the generated client has inside."""
    async with client.get_async_httpx_client().stream(
        "POST", "/api/v1/ai/chat", json=question.to_dict(), headers={"X-Stream-Response": "true"}
    ) as response:
        return [json.loads(line[6:]) async for line in response.aiter_lines() if line.startswith("data: ")]


async def test_a_generated_client_runs_the_story_of_the_readme_and_what_its_page_prints(
    start_server: Start, generated: Path
) -> None:
    server = await start_server()
    said = await generate(server, generated)
    assert "warning" not in said.lower()
    assert "unsupported" not in said.lower()
    made = Generated()
    models = made.models
    guest = made.package.Client(
        server.address, headers={"x-device-id": DEVICE}, raise_on_unexpected_status=True, timeout=30
    )

    assert not [name for name in models.__all__ if re.search(r"\d", name)], "called after their place"
    await asks_as_a_guest(made, guest)

    signed_up = await made.data(
        "authentication.sign_up",
        guest,
        body=models.SignUpRequest(email="ann@example.com", password="Correct-horse-7", name="Ann"),
    )
    ann = made.package.AuthenticatedClient(
        server.address, token=signed_up.access_token, raise_on_unexpected_status=True, timeout=30
    )
    await takes_the_conversations_over(made, guest, ann)
    await asks_about_a_file_and_shares(made, ann)
    await takes_everything_along_and_leaves(made, ann)
    await runs_as_printed(server, generated)


async def asks_as_a_guest(made: Generated, guest: Any) -> None:
    models = made.models
    launched = (
        await made.data("app.launch_app", guest, x_device_id=DEVICE, x_platform=models.Platform.WEB)
    ).app_launch_response_data
    assert launched.is_onboarding_required
    assert launched.free_threshold.used == 0

    question = models.ChatRequest(message="How large should my emergency fund be?")
    reply = await made.data("chat.chat", guest, body=question)
    assert "[1]" in reply.message.content
    assert reply.sources
    assert reply.finish_reason is models.ReplyViewFinishReason.STOP

    events = await stream(guest, models.ChatRequest(message="What is an ETF?"))
    assert "".join(event["content"] for event in events if event["type"] == "token")
    assert events[-1]["type"] == "done"
    followed = await made.call("chat.follow_reply", guest, message_id=events[-1]["messageId"])
    assert followed.count('"type":"done"') == 1

    page = await made.data("conversations.list_conversations", guest, limit=1)
    assert (page.total, page.has_more) == (2, True)
    messages = await made.data(
        "conversations.list_messages",
        guest,
        conversation_id=page.conversations[0].id,
        order=models.ListMessagesOrder.DESC,
    )
    newest = messages.messages[0]
    assert newest.role is models.Role.ASSISTANT
    feedback = models.FeedbackBody(rating=models.FeedbackBodyRating.VALUE_1, feedback="Clear.")
    rated = await made.data("conversations.give_feedback", guest, message_id=newest.id, body=feedback)
    assert (rated.message_id, rated.feedback) == (newest.id, "Clear.")


async def takes_the_conversations_over(made: Generated, guest: Any, ann: Any) -> None:
    web = made.models.Platform.WEB
    launched = (
        await made.data("app.launch_app", ann, x_device_id=DEVICE, x_platform=web)
    ).app_launch_response_data
    assert launched.user_data.is_logged_in
    assert launched.user_data.email == "ann@example.com"
    assert (await made.data("conversations.list_conversations", ann)).total == 2
    assert (await made.data("conversations.list_conversations", guest)).total == 0


async def asks_about_a_file_and_shares(made: Generated, ann: Any) -> None:
    models = made.models
    expenses = base64.b64encode(b"Rent 950.00\nElectricity 71.15 paid by ann@example.com\n").decode()
    attachment = models.AttachmentBody(filename="expenses.txt", mime_type="text/plain", data=expenses)
    question = models.ChatRequest(message="How much did I pay for electricity?", attachments=[attachment])
    reply = await made.data("chat.chat", ann, body=question)
    assert "71.15 paid by ann@example.com" in reply.message.content

    picture = made.package.types.File(io.BytesIO(_PIXEL), "pixel.png", "image/png")
    upload = models.UploadFileForm(file=picture, conversation_id=reply.conversation_id)
    kept = await made.data("files.upload_file", ann, body=upload)
    assert (kept.kind, kept.width) == (models.FileKind.IMAGE, 1)

    body = models.ShareBody(conversation_id=reply.conversation_id, redact=True)
    shared = await made.data("sharing.create_share", ann, body=body)
    reader = made.package.Client(shared.share_url.removesuffix(f"/api/v1/public/share/{shared.share_id}"))
    seen = await made.data("sharing.view_share", reader, share_id=shared.share_id)
    asked, answered = seen.messages
    assert asked.content == question.message
    assert asked.attachments[0].filename == "expenses.txt"
    assert "71.15 paid by " in answered.content
    assert "ann@example.com" not in answered.content


async def takes_everything_along_and_leaves(made: Generated, ann: Any) -> None:
    archive = await made.call("account.export_data", ann)
    with zipfile.ZipFile(archive.payload) as opened:
        assert "messages.json" in " ".join(opened.namelist())

    receipt = await made.data("account.erase_profile", ann, body=made.models.EraseRequest())
    stranger = made.package.Client(str(ann.get_async_httpx_client().base_url))
    erasure = await made.data("account.get_erasure", stranger, receipt_id=receipt.receipt_id)
    assert erasure.counts.conversations == receipt.counts.conversations == 3
    refused = await importlib.import_module(f"{PACKAGE}.api.account.get_profile").asyncio(client=ann)
    assert (refused.success, refused.error.code) == (False, "UNAUTHORIZED")


async def runs_as_printed(server: ServerProcess, folder: Path) -> None:
    [script] = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    printed = await run("python", "-c", script.replace(PRINTED_ADDRESS, server.address), cwd=folder)
    assert "three to six months" in printed.lower()
    assert "ETF" in printed


_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
