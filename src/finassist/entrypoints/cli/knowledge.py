"""``finassist knowledge``: the articles that answers are taken from (contract section 12)."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, Unpack

import msgspec

from finassist.application.retrieval.knowledge import EvaluateKnowledge, Question
from finassist.composition.knowledge import PlainSearch, Text, files_below, read_articles, read_topics
from finassist.config import Settings, SettingsError
from finassist.domain.errors import FieldError, ValidationFailed
from finassist.domain.knowledge import Article
from finassist.domain.retrieval.entry_rules import Complaint, Topic, complaints_about
from finassist.entrypoints.cli.progress import ProgressBar

if TYPE_CHECKING:
    from finassist.composition.adapters import AdapterOverrides
    from finassist.composition.application import Finassist

T = TypeVar("T")
Command = Callable[["Finassist", argparse.Namespace], Awaitable[None]]

_PAGE = 500


class QuestionLine(msgspec.Struct, frozen=True):
    """A line of a file to evaluate with: the question, and the text that answers it."""

    id: Text
    question: Text
    answer: Text


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add ``knowledge`` and its commands."""
    knowledge = commands.add_parser("knowledge", help="articles that answers are based on")
    verbs = knowledge.add_subparsers(required=True, metavar="COMMAND")

    add = verbs.add_parser("add", help="add articles, replacing those with the same id")
    add.add_argument("files", nargs="+", type=Path, metavar="FILE")
    add.set_defaults(run=_in_container(_add))

    check = verbs.add_parser("check", help="check files of entries before they are added")
    check.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="a file, or a folder with what is below"
    )
    check.add_argument(
        "--shipped", action="store_true", help="ask for five other wordings, as entries that ship have"
    )
    check.set_defaults(run=_check)

    embed = verbs.add_parser("embed", help="embed the articles that have no vectors yet")
    embed.add_argument("--replace", action="store_true", help="embed all again, with the configured model")
    embed.set_defaults(run=_in_container(_embed))

    listing = verbs.add_parser("list", help="list the articles")
    listing.set_defaults(run=_in_container(_list))

    search = verbs.add_parser("search", help="search as the chat does, best first")
    search.add_argument("query")
    search.add_argument("--limit", type=_limit, default=5, help="maximum number of hits (5)")
    search.add_argument("--json", action="store_true", help="print [{id, title, url, snippet, score}]")
    search.set_defaults(run=_in_container(_search))

    evaluate = verbs.add_parser("eval", help="measure the search, in a separate knowledge base")
    evaluate.add_argument("file", type=Path, metavar="FILE.jsonl")
    evaluate.set_defaults(run=_evaluate_apart)


def _limit(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 100:
        raise argparse.ArgumentTypeError("must be from 1 to 100")
    return number


def _in_container(
    command: Command, **adapters: Unpack["AdapterOverrides"]
) -> Callable[[Settings, argparse.Namespace], int]:
    """Run a command in an event loop, with the service opened around it."""

    async def run(settings: Settings, chosen: argparse.Namespace) -> None:
        from finassist.composition.container import open_container

        async with open_container(settings, **adapters) as finassist:
            await command(finassist, chosen)

    def run_in_loop(settings: Settings, chosen: argparse.Namespace) -> int:
        asyncio.run(run(settings, chosen))
        return 0

    return run_in_loop


async def _add(finassist: "Finassist", chosen: argparse.Namespace) -> None:
    articles = [article for file in chosen.files for article in read_articles(file)]
    with ProgressBar("adding") as progress:
        for start in range(0, len(articles), _PAGE):
            await finassist.add_articles(articles[start : start + _PAGE])
            progress(min(start + _PAGE, len(articles)), len(articles))
    print(f"{len(articles)} article{'' if len(articles) == 1 else 's'} stored.")
    await _embed_missing(finassist, replace=False)


def _check(_: Settings, chosen: argparse.Namespace) -> int:
    """Print every rule that an entry of the files breaks. The status is 1 when there is one."""
    topics: list[Topic] = []
    complaints: list[Complaint] = []
    for file in [file for path in chosen.paths for file in files_below(path)]:
        try:
            topics += read_topics(file)
        except ValidationFailed as error:
            complaints += [Complaint(str(file), each.field, each.message) for each in error.errors]
    complaints += complaints_about(topics, as_shipped=chosen.shipped)
    for complaint in complaints:
        print(f"{complaint.place}: {complaint.entry}: {complaint.rule}")
    entries = [entry for topic in topics for entry in topic.entries]
    print(f"{len(topics)} topics, {len(entries)} entries, {len(complaints)} complaints", file=sys.stderr)
    return 1 if complaints else 0


async def _embed(finassist: "Finassist", chosen: argparse.Namespace) -> None:
    if finassist.adapters.embedder is None:
        raise SettingsError({"EMBEDDINGS_MODEL": "required to embed articles"})
    if chosen.replace and (copied := await finassist.replace_vectors()):
        print(f"{copied} articles embedded again.")
    await _embed_missing(finassist, replace=chosen.replace)
    print("All articles have vectors.")


async def _embed_missing(finassist: "Finassist", *, replace: bool) -> None:
    """Embed what has no vectors; what was embedded before a failure is kept, and the next call goes on."""
    with ProgressBar("embedding") as progress:
        await finassist.embed_articles(progress, replace=replace, wait_for_others=True)


async def _list(finassist: "Finassist", _: argparse.Namespace) -> None:
    offset = 0
    while articles := await finassist.list_articles(limit=_PAGE, offset=offset):
        for article in articles:
            print(f"{article.id}\t{article.title}")
        offset += len(articles)


async def _search(finassist: "Finassist", chosen: argparse.Namespace) -> None:
    hits = await finassist.search_knowledge(chosen.query, limit=chosen.limit)
    if chosen.json:
        shown = [
            {
                "id": hit.article_id,
                "title": hit.title,
                "url": hit.url,
                "snippet": hit.snippet,
                "score": hit.score,
            }
            for hit in hits
        ]
        print(msgspec.json.encode(shown).decode())
        return
    for rank, hit in enumerate(hits, 1):
        print(f"{rank}. {hit.title} ({hit.article_id}, {hit.score:.2f})\n   {hit.snippet}")


def _evaluate_apart(settings: Settings, chosen: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="finassist-eval-") as directory:
        apart = replace(settings, data_dir=Path(directory), database_url="", vector_store_url="")
        return _in_container(_evaluate, starter_articles=tuple)(apart, chosen)


async def _evaluate(finassist: "Finassist", chosen: argparse.Namespace) -> None:
    lines = _read([chosen.file], QuestionLine)
    articles = [Article(id=line.id, title="", body=line.answer) for line in lines]
    questions = [Question(text=line.question, article_id=line.id) for line in lines]
    await finassist.add_articles(articles)
    await _embed_missing(finassist, replace=False)
    evaluation = await finassist.evaluate_knowledge(questions)
    with PlainSearch() as plain:
        plain.add(articles)
        baseline = await EvaluateKnowledge(knowledge=plain)(questions)
    print(f"{evaluation.questions} questions")
    for cutoff, share in evaluation.recall.items():
        print(f"recall@{cutoff:<3} {share:.3f}")
    print(f"nDCG@10    {evaluation.ndcg:.3f}")
    shares = " / ".join(f"{share:.3f}" for share in baseline.recall.values())
    print(f"plain FTS5, for comparison: {shares}, {baseline.ndcg:.3f}")


def _read(paths: Sequence[Path], line_type: type[T]) -> list[T]:
    """The lines of all files. Raises ValidationFailed naming every line that is wrong."""
    decoder = msgspec.json.Decoder(line_type)
    lines: list[T] = []
    errors: list[FieldError] = []
    for path in paths:
        for number, text in enumerate(path.read_bytes().splitlines(), 1):
            if not text.strip():
                continue
            try:
                lines.append(decoder.decode(text))
            except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
                errors.append(FieldError(f"{path}:{number}", str(error)))
    if errors:
        raise ValidationFailed(errors)
    return lines
