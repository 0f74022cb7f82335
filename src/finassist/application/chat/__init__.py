"""The chat: one path from a question to its reply, for streams, buffered replies and storage alike.

``send`` checks a message, ``begin`` begins its turn, ``attachments`` checks and stores the files that come
with it, ``reading`` reads them, ``runner`` runs the turn, ``live`` keeps what it says while it runs,
``turns`` is what its caller sees of it, ``follow`` and ``replay`` tell it again, ``stop`` stops it,
``settle`` ends it, ``collect`` ends what a crash left, ``help`` says what somebody in distress gets instead
of an answer, ``guidance``, ``prepare`` and ``prompt`` say what the model is asked, ``write`` lets it answer,
``tools`` calls what it asks for, ``notice`` says what the answer is not, ``illustrate`` finds a picture for
it, ``retry`` answers retries, ``describe`` says what the assistant can do.
"""

from finassist.application.chat.attachments import InlineFile, KeepFiles, ReceiveFiles
from finassist.application.chat.begin import BeginTurn
from finassist.application.chat.collect import CollectOrphans, DeleteExpired
from finassist.application.chat.describe import AssistantDescription, DescribeAssistant
from finassist.application.chat.follow import FollowTurn, LoadReply
from finassist.application.chat.guidance import ChoosePreprompt, RecallInstructions
from finassist.application.chat.help import OfferHelp
from finassist.application.chat.illustrate import AddEmbed
from finassist.application.chat.notice import AddNotice
from finassist.application.chat.prepare import PrepareReply
from finassist.application.chat.prompt import ComposePrompt
from finassist.application.chat.reading import ReadFiles, RecallFiles
from finassist.application.chat.retry import ClaimIdempotencyKey
from finassist.application.chat.runner import TurnRunner
from finassist.application.chat.send import ChatMessage, SendMessage
from finassist.application.chat.settle import SettleTurn
from finassist.application.chat.stop import StopTurn, StopTurnByKey
from finassist.application.chat.tools import CallTools
from finassist.application.chat.turns import TurnStream
from finassist.application.chat.write import WriteReply

__all__ = [
    "AddEmbed",
    "AddNotice",
    "AssistantDescription",
    "BeginTurn",
    "CallTools",
    "ChatMessage",
    "ChoosePreprompt",
    "ClaimIdempotencyKey",
    "CollectOrphans",
    "ComposePrompt",
    "DeleteExpired",
    "DescribeAssistant",
    "FollowTurn",
    "InlineFile",
    "KeepFiles",
    "LoadReply",
    "OfferHelp",
    "PrepareReply",
    "ReadFiles",
    "RecallFiles",
    "RecallInstructions",
    "ReceiveFiles",
    "SendMessage",
    "SettleTurn",
    "StopTurn",
    "StopTurnByKey",
    "TurnRunner",
    "TurnStream",
    "WriteReply",
]
