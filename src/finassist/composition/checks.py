"""Checks of the servers that the settings name, for ``finassist check-config``."""

from collections.abc import Sequence

from finassist.config import Settings


async def bucket_problems(settings: Settings) -> Sequence[str]:
    """The operations that the bucket of OBJECT_STORE_URL refuses, a line each; empty when it can be used."""
    from finassist.adapters.objects.check import check_bucket
    from finassist.composition.factories import s3_object_store

    return await check_bucket(s3_object_store(settings))


async def mongodb_problems(settings: Settings) -> Sequence[str]:
    """The problems of the database of DATABASE_URL, a line each; empty when it can be used."""
    from finassist.adapters.mongo import check_database  # Beanie takes its time to import

    return await check_database(settings.database_url)
