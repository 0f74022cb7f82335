"""The contract suites of the ports: the tests that an adapter has to pass (docs/testing.md).

A suite is a class whose tests take the adapter from a fixture. Subclass it in a test module, in a class
whose name begins with ``Test``, and override the fixture. The tests are coroutines: pytest-asyncio runs them
with ``asyncio_mode = "auto"``.
"""

from finassist.testing.contracts.embedder import EmbedderContract
from finassist.testing.contracts.identity_provider import IdentityProviderContract, IdentityRealm
from finassist.testing.contracts.knowledge_base import KnowledgeBaseContract
from finassist.testing.contracts.language_model import LanguageModelContract
from finassist.testing.contracts.object_store import ObjectStoreContract
from finassist.testing.contracts.sms_sender import SmsSenderContract
from finassist.testing.contracts.speech_to_text import SpeechToTextContract

__all__ = [
    "EmbedderContract",
    "IdentityProviderContract",
    "IdentityRealm",
    "KnowledgeBaseContract",
    "LanguageModelContract",
    "ObjectStoreContract",
    "SmsSenderContract",
    "SpeechToTextContract",
]
