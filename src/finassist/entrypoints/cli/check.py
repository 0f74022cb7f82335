"""``finassist check-config``: check the settings and the servers that they name (contract section 12)."""

import argparse
import asyncio
import sys
import wave
from collections.abc import Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Final

from finassist.application.ports.database import DatabaseConnection
from finassist.application.ports.knowledge import VectorIndex
from finassist.config import Settings
from finassist.domain.errors import FinassistError

if TYPE_CHECKING:
    from finassist.composition.providers import AdapterProviders


_RATE: Final = 16_000
"""Samples in a second of a recording, each of two bytes."""


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add ``check-config``."""
    check = commands.add_parser("check-config", help="check the settings and the servers that they name")
    check.set_defaults(run=_check)


def _check(settings: Settings, _: argparse.Namespace) -> int:
    from finassist.composition.container import provide_adapters

    adapters = provide_adapters(settings)
    adapters.card_catalog()  # an operator's file may be wrong
    adapters.knowledge()  # its libraries may be missing
    print("The settings are valid.")
    problems = [
        *asyncio.run(_check_knowledge(adapters, settings)),
        *asyncio.run(_check_transcription(adapters)),
        *(_check_mongodb(settings) if settings.sqlite_path is None else ()),
        *(_check_bucket(settings) if settings.object_store_url else ()),
    ]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def _check_bucket(settings: Settings) -> Sequence[str]:
    """What the object store refuses."""
    from finassist.composition.checks import bucket_problems

    return asyncio.run(bucket_problems(settings))


def _check_mongodb(settings: Settings) -> Sequence[str]:
    """Return what the database lacks, and print notes for several hosts."""
    from finassist.composition.checks import mongodb_problems

    if not settings.vector_store_url:
        print("Note: each host has its own knowledge base, in DATA_DIR: add articles on every host.")
    if not settings.object_store_url:
        print("Note: uploaded files are stored in DATA_DIR of one host: hosts have to share that folder.")
    return asyncio.run(mongodb_problems(settings))


async def _check_knowledge(adapters: "AdapterProviders", settings: Settings) -> Sequence[str]:
    """Call the embedder and the vector server, when they are set; returns their problems."""
    problems: list[str] = []
    if (embedder := adapters.embedder()) is not None:
        try:
            await embedder.embed_query("What is an emergency fund?")
        except FinassistError as error:
            problems.append(f"EMBEDDINGS_MODEL: {error.message}")
        await embedder.close()
    if settings.vector_store_url:
        try:
            print(f"VECTOR_STORE_URL: {await adapters.knowledge().count()} articles.")
        except FinassistError as error:
            problems.append(f"VECTOR_STORE_URL: {error.message}")
        await adapters.knowledge_database().close()
    elif (index := adapters.vector_index()) is not None and embedder and settings.knowledge_path.exists():
        await _check_vectors(adapters.knowledge_database(), index, embedder.model)
    return problems


async def _check_transcription(adapters: "AdapterProviders") -> Sequence[str]:
    """Have half a second of silence transcribed, when that is set; returns the problems."""
    speech_to_text = adapters.speech_to_text()
    if speech_to_text is None:
        return ()
    try:
        with NamedTemporaryFile(suffix=".wav") as silence:
            with wave.open(silence, "wb") as recording:
                recording.setparams((1, 2, _RATE, 0, "NONE", ""))
                recording.writeframes(bytes(_RATE))
            silence.flush()
            await speech_to_text.transcribe(Path(silence.name), mime_type="audio/wav")
    except FinassistError as error:
        return (f"TRANSCRIPTION_MODEL: {error.message}",)
    finally:
        await speech_to_text.close()
    return ()


async def _check_vectors(database: DatabaseConnection, index: VectorIndex, model: str) -> None:
    """Say which articles still lack vectors of the model that is set."""
    await database.open()
    try:
        status = await index.status()
    finally:
        await database.close()
    other = status.model not in (None, model)
    missing = status.articles if other else status.articles - status.with_vectors
    if missing:
        print(
            f"Note: {missing} articles have no vectors of {model} yet; the service embeds them while it runs."
        )
