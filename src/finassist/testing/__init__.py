"""A kit for the tests of scripts and adapters (docs/testing.md): fakes, an HTTP client, fixtures, contracts.

The fakes are here. The fixtures are in ``finassist.testing.plugin`` and the contract suites of the ports in
``finassist.testing.contracts``; these two need pytest and pytest-asyncio.
"""

from finassist.testing.clock import FakeClock
from finassist.testing.email import RecordingEmail
from finassist.testing.http import open_client, running
from finassist.testing.identity import StubIdentityProvider
from finassist.testing.knowledge import InMemoryKnowledge
from finassist.testing.language_model import Gate, ScriptedModel, Step, model_failure, model_of, tool_call
from finassist.testing.object_store import InMemoryObjectStore
from finassist.testing.sms import RecordingSms, Sms
from finassist.testing.speech import Recording, ScriptedSpeech

__all__ = [
    "FakeClock",
    "Gate",
    "InMemoryKnowledge",
    "InMemoryObjectStore",
    "Recording",
    "RecordingEmail",
    "RecordingSms",
    "ScriptedModel",
    "ScriptedSpeech",
    "Sms",
    "Step",
    "StubIdentityProvider",
    "model_failure",
    "model_of",
    "open_client",
    "running",
    "tool_call",
]
