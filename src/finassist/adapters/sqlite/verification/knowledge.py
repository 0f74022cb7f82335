"""What has to fit together in the database of the knowledge base."""

from collections.abc import Sequence
from typing import Final

from finassist.adapters.sqlite.verification.row_checks import DELETE, DELETED, RowCheck

KNOWLEDGE_CHECKS: Final[Sequence[RowCheck]] = (
    RowCheck(
        check="an article that is not indexed",
        table="articles",
        condition="""analysis IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM sections WHERE sections.article = articles.number)""",
        mend="analysis = NULL",
        repair="the next start of the service indexes it",
    ),
    RowCheck(
        check="a part of an article that does not exist",
        table="sections",
        key="number",
        condition="article NOT IN (SELECT number FROM articles)",
        mend=DELETE,
        repair=DELETED,
    ),
    RowCheck(
        check="a part of an article that does not exist",
        table="embedded_articles",
        key="number",
        condition="number NOT IN (SELECT number FROM articles)",
        mend=DELETE,
        repair=DELETED,
    ),
    RowCheck(
        check="an article whose vectors are lost",
        table="embedded_articles",
        key="number",
        condition="hash IS NOT NULL AND hash NOT IN (SELECT hash FROM vectors)",
        mend=DELETE,
        repair="the service embeds it again",
    ),
)
