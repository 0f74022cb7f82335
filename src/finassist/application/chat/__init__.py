"""The chat: one path from a question to its reply, for streams, buffered replies and storage alike.

The modules in the order of a turn:

- ``message``: what the caller sends.
- ``send``: checks it, with ``models``, ``attachments``, ``guidance`` and ``assess``, then begins the turn and
  runs it.
- ``attachments``: the files of the message. ``received`` has their types, ``lifecycle`` receives, inspects,
  finds and stores them, ``recordings`` transcribes, ``reading`` reads them for the model.
- ``turns``: ``brief`` holds what is known of the turn and ``draft`` makes it; ``idempotency`` claims the
  key and recognises a retry; ``replacing`` checks the message that the question takes the place of;
  ``begin`` stores the question and the empty reply; ``runner`` runs the turn;
  ``live`` holds its events while it runs; ``settle`` ends it. ``turn`` is what the caller
  gets: its ids and the stream of its events. ``follow`` and ``replay`` send a turn again, ``stop`` stops it,
  and ``collect`` ends turns that a crash left.
- ``reply``: ``write`` writes the reply. It is a fixed text (``help``), or comes from the model (``ask``), for
  which ``prepare`` and ``prompt`` make the request, with the texts of others ``quoted``. ``tools`` calls the
  model's tools; ``notice``, ``quote_image`` and ``suggest`` add to the reply.
- ``describe``: what the assistant is and can do.
"""

from finassist.application.chat.assess import Assessment, AssessMessage
from finassist.application.chat.attachments.lifecycle import ChatAttachments
from finassist.application.chat.attachments.reading import ReadFiles, RecallFiles
from finassist.application.chat.attachments.received import InlineFile
from finassist.application.chat.describe import AssistantDescription, DescribeAssistant
from finassist.application.chat.guidance import ChatGuidance
from finassist.application.chat.message import ChatMessage
from finassist.application.chat.models import OfferedModels
from finassist.application.chat.reply.ask import AskModel
from finassist.application.chat.reply.help import OfferHelp
from finassist.application.chat.reply.notice import AddNotice
from finassist.application.chat.reply.prepare import PrepareReply
from finassist.application.chat.reply.prompt import ComposePrompt
from finassist.application.chat.reply.quote_image import AddQuoteImage
from finassist.application.chat.reply.tools import CallTools
from finassist.application.chat.reply.write import WriteReply
from finassist.application.chat.send import SendMessage
from finassist.application.chat.turns.begin import BeginTurn
from finassist.application.chat.turns.collect import CollectOrphans, DeleteExpired
from finassist.application.chat.turns.draft import DraftTurn
from finassist.application.chat.turns.follow import FollowTurn, LoadReply
from finassist.application.chat.turns.idempotency import ClaimIdempotencyKey
from finassist.application.chat.turns.runner import TurnRunner
from finassist.application.chat.turns.settle import SettleTurn
from finassist.application.chat.turns.stop import StopTurn, StopTurnByKey
from finassist.application.chat.turns.turn import TurnStream

__all__ = [
    "AddNotice",
    "AddQuoteImage",
    "AskModel",
    "AssessMessage",
    "Assessment",
    "AssistantDescription",
    "BeginTurn",
    "CallTools",
    "ChatAttachments",
    "ChatGuidance",
    "ChatMessage",
    "ClaimIdempotencyKey",
    "CollectOrphans",
    "ComposePrompt",
    "DeleteExpired",
    "DescribeAssistant",
    "DraftTurn",
    "FollowTurn",
    "InlineFile",
    "LoadReply",
    "OfferHelp",
    "OfferedModels",
    "PrepareReply",
    "ReadFiles",
    "RecallFiles",
    "SendMessage",
    "SettleTurn",
    "StopTurn",
    "StopTurnByKey",
    "TurnRunner",
    "TurnStream",
    "WriteReply",
]
