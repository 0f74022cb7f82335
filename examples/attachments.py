"""Upload a bank statement (PDF) and a photographed receipt (JPEG), ask about them, and see what the offline
model answers and what another model would have been sent.

python examples/attachments.py
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from papers import RECEIPT, STATEMENT, pdf, photographed

from finassist import AdapterOverrides, Caller, ChatMessage, Finassist, ReceivedFile, Settings, open_container
from finassist.ports import (
    FilePart,
    ImagePart,
    LanguageModel,
    ModelCapabilities,
    ModelEvent,
    ModelFinished,
    ModelRequest,
    TextDelta,
)

QUESTIONS = (
    "What was the closing balance on my statement?",
    "How much did I spend at the grocery store?",
    "When do the terms change?",
)


class Listener:
    """A model that only keeps what it was sent; one that ``sees`` is sent pictures and PDFs as they are."""

    provider = "listener"
    default_model = "listener-1"
    models = (default_model,)
    request: ModelRequest

    def __init__(self, *, sees: bool) -> None:
        self._sees = sees

    def capabilities_of(self, model: str) -> ModelCapabilities:
        """It takes pictures and PDFs as they are, or neither."""
        return ModelCapabilities(vision=self._sees, pdf=self._sees)

    async def close(self) -> None:
        """Nothing to close."""

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncGenerator[ModelEvent, None], None]:
        """Say that it was heard."""
        self.request = request

        async def events() -> AsyncGenerator[ModelEvent, None]:
            yield TextDelta("Heard.")
            yield ModelFinished("stop")

        yield events()


async def upload(finassist: Finassist, caller: Caller, folder: Path) -> list[str]:
    """Upload both papers; their ids."""
    papers = {
        "statement.pdf": ("application/pdf", pdf(STATEMENT)),
        "receipt.jpg": ("image/jpeg", photographed(RECEIPT)),
    }
    ids = []
    for name, (mime_type, content) in papers.items():
        path = folder / name
        path.write_bytes(content)
        received = ReceivedFile(path=path, filename=name, declared_type=mime_type)
        ids.append((await finassist.upload_file(caller, received, None)).file.id)
    return ids


async def ask_about_papers(
    settings: Settings, language_model: LanguageModel | None = None
) -> AsyncGenerator[str, None]:
    """The questions and what is answered. The papers come with the first and are remembered later."""
    adapters: AdapterOverrides = {} if language_model is None else {"language_model": language_model}
    async with open_container(settings, **adapters) as finassist:
        caller = await finassist.resolve_caller(
            bearer=None, device_id="example-script", platform=None, address="127.0.0.1"
        )
        with TemporaryDirectory() as folder:
            attachments = await upload(finassist, caller, Path(folder))
        conversation = None
        for question in QUESTIONS:
            message = ChatMessage(message=question, conversation_id=conversation, attachments=attachments)
            turn = await finassist.send_message(caller, message)
            reply = (await turn.ending()).message
            yield f"> {question}\n\n{reply.content}\n"
            conversation, attachments = reply.conversation_id, []


def sent_to(request: ModelRequest) -> Iterator[str]:
    """What a model is sent, in words: the end of the system prompt, then the messages."""
    yield f"system: … {request.system.rpartition(chr(10))[2]}"
    for message in request.messages:
        for part in message.parts:
            if isinstance(part, FilePart):
                yield part.text
            elif isinstance(part, ImagePart):
                yield f"[{len(part.data)} bytes of {part.media_type}]"
            else:
                yield f"[{len(part.data)} bytes of application/pdf: {part.filename}]"
        yield f"{message.role}: {message.content}"


async def main() -> None:
    """Ask the offline model, then show what two other models get."""
    with TemporaryDirectory() as folder:
        print("=== The offline model\n")
        async for exchange in ask_about_papers(Settings(data_dir=Path(folder, "offline"))):
            print(exchange)
        for sees, described in (
            (False, "A model that reads text only"),
            (True, "A model that sees pictures and reads PDFs"),
        ):
            listener = Listener(sees=sees)
            settings = Settings(data_dir=Path(folder, described), improve_titles=False)
            answers = ask_about_papers(settings, language_model=listener)
            print(f"=== {described} is sent\n")
            await anext(answers)
            print("\n".join(sent_to(listener.request)), end="\n\n")
            await answers.aclose()


if __name__ == "__main__":
    asyncio.run(main())
