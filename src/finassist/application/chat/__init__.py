"""The chat: one path from a question to its reply, for streams, buffered replies and storage alike.

``send`` checks a message, ``begin`` begins its turn, ``attachments`` checks and stores the files that come
with it, ``reading`` reads them, ``runner`` runs the turn, ``live`` keeps what it says while it runs,
``turns`` is what its caller sees of it, ``follow`` and ``replay`` tell it again, ``stop`` stops it,
``settle`` ends it, ``collect`` ends what a crash left, ``help`` says what somebody in distress gets instead
of an answer, ``guidance``, ``prepare`` and ``prompt`` say what the model is asked, ``write`` lets it answer,
``tools`` calls what it asks for, ``notice`` says what the answer is not, ``illustrate`` finds a picture for
it, ``retry`` answers retries, ``describe`` says what the assistant can do.
"""

from finassist.application.chat.attachments.reading import ReadFiles, RecallFiles
from finassist.application.chat.attachments.receiving import InlineFile, KeepFiles, ReceiveFiles
from finassist.application.chat.describe import AssistantDescription, DescribeAssistant
from finassist.application.chat.guidance import ChoosePreprompt, RecallInstructions
from finassist.application.chat.reply.help import OfferHelp
from finassist.application.chat.reply.notice import AddNotice
from finassist.application.chat.reply.prepare import PrepareReply
from finassist.application.chat.reply.prompt import ComposePrompt
from finassist.application.chat.reply.quote_image import AddQuoteImage
from finassist.application.chat.reply.tools import CallTools
from finassist.application.chat.reply.write import WriteReply
from finassist.application.chat.send import ChatMessage, SendMessage
from finassist.application.chat.turns.begin import BeginTurn
from finassist.application.chat.turns.collect import CollectOrphans, DeleteExpired
from finassist.application.chat.turns.follow import FollowTurn, LoadReply
from finassist.application.chat.turns.idempotency import ClaimIdempotencyKey
from finassist.application.chat.turns.runner import TurnRunner
from finassist.application.chat.turns.settle import SettleTurn
from finassist.application.chat.turns.stop import StopTurn, StopTurnByKey
from finassist.application.chat.turns.turn import TurnStream

__all__ = [
    "AddNotice",
    "AddQuoteImage",
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
