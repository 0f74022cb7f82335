"""A chat backend as one would write it by hand: FastAPI, openai's SDK, SQLAlchemy on SQLite.

It knows users by their device, stores conversations and messages, and streams replies as server-sent events.
No limits, no retrieval, no retries of its own. It runs in an environment of its own: see ``environments.py``.
"""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated
from uuid import uuid4

from fastapi import Depends, FastAPI, Header, HTTPException
from fastapi.responses import StreamingResponse
from openai import AsyncOpenAI
from pydantic import BaseModel
from sqlalchemy import ForeignKey, event, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

MODEL = "benchmark"
HISTORY = 20

engine = create_async_engine(os.environ["HANDWRITTEN_DATABASE"])
sessions = async_sessionmaker(engine, expire_on_commit=False)
model = AsyncOpenAI()


@event.listens_for(engine.sync_engine, "connect")
def _configure(connection, _record):
    # The same promise as the service's: what was acknowledged is on the disk.
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "busy_timeout = 60000", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _new_id() -> str:
    return uuid4().hex


def _now() -> datetime:
    return datetime.now(UTC)


class Base(DeclarativeBase):
    pass


class User(Base):
    __tablename__ = "users"
    id: Mapped[str] = mapped_column(primary_key=True, default=_new_id)
    device_id: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(default=_now)


class Conversation(Base):
    __tablename__ = "conversations"
    id: Mapped[str] = mapped_column(primary_key=True, default=_new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), index=True)
    title: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=_now)


class Message(Base):
    __tablename__ = "messages"
    id: Mapped[str] = mapped_column(primary_key=True, default=_new_id)
    conversation_id: Mapped[str] = mapped_column(ForeignKey("conversations.id"), index=True)
    role: Mapped[str]
    content: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=_now)


class Question(BaseModel):
    message: str
    conversation_id: str | None = None


class ConversationOut(BaseModel):
    id: str
    title: str
    created_at: datetime


class MessageOut(BaseModel):
    id: str
    role: str
    content: str
    created_at: datetime


@asynccontextmanager
async def lifespan(_: FastAPI):
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
    yield
    await engine.dispose()


app = FastAPI(lifespan=lifespan)


async def session() -> AsyncIterator[AsyncSession]:
    async with sessions() as opened:
        yield opened


Session = Annotated[AsyncSession, Depends(session)]
DeviceId = Annotated[str, Header(alias="x-device-id")]


@app.get("/health/ready")
async def ready() -> dict[str, str]:
    return {"status": "ready"}


@app.post("/chat")
async def chat(question: Question, device_id: DeviceId) -> StreamingResponse:
    # A session of its own, closed before the reply: a stream must not keep a connection of the pool.
    async with sessions() as opened:
        user = await _user(opened, device_id)
        conversation = await _conversation(opened, user, question)
        newest = select(Message).where(Message.conversation_id == conversation.id)
        earlier = (await opened.scalars(newest.order_by(Message.created_at.desc()).limit(HISTORY))).all()
        asked = Message(conversation_id=conversation.id, role="user", content=question.message)
        opened.add(asked)
        await opened.commit()
    prompt = [{"role": each.role, "content": each.content} for each in [*reversed(earlier), asked]]
    return StreamingResponse(_reply(conversation.id, prompt), media_type="text/event-stream")


async def _reply(conversation_id: str, prompt: list[dict[str, str]]) -> AsyncIterator[str]:
    reply = Message(id=_new_id(), conversation_id=conversation_id, role="assistant")
    parts = []
    async for chunk in await model.chat.completions.create(model=MODEL, messages=prompt, stream=True):
        if chunk.choices and (token := chunk.choices[0].delta.content):
            parts.append(token)
            yield _event({"type": "token", "messageId": reply.id, "content": token})
    reply.content = "".join(parts)
    async with sessions() as opened:
        opened.add(reply)
        await opened.commit()
    yield _event({"type": "done", "conversationId": conversation_id, "messageId": reply.id})


def _event(data: dict[str, str]) -> str:
    return f"data: {json.dumps(data)}\n\n"


async def _user(opened: AsyncSession, device_id: str) -> User:
    user = await opened.scalar(select(User).where(User.device_id == device_id))
    if user is None:
        user = User(device_id=device_id)
        opened.add(user)
        await opened.flush()
    return user


async def _conversation(opened: AsyncSession, user: User, question: Question) -> Conversation:
    if question.conversation_id is None:
        conversation = Conversation(user_id=user.id, title=question.message[:80])
        opened.add(conversation)
        await opened.flush()
        return conversation
    conversation = await opened.get(Conversation, question.conversation_id)
    if conversation is None or conversation.user_id != user.id:
        raise HTTPException(404)
    return conversation


@app.get("/conversations")
async def conversations(opened: Session, device_id: DeviceId) -> list[ConversationOut]:
    owned = select(Conversation).join(User).where(User.device_id == device_id)
    found = await opened.scalars(owned.order_by(Conversation.created_at.desc()).limit(20))
    return [ConversationOut.model_validate(each, from_attributes=True) for each in found]


@app.get("/conversations/{conversation_id}/messages")
async def messages(opened: Session, device_id: DeviceId, conversation_id: str) -> list[MessageOut]:
    owned = select(Message).join(Conversation).join(User).where(User.device_id == device_id)
    within = owned.where(Conversation.id == conversation_id).order_by(Message.created_at).limit(50)
    return [MessageOut.model_validate(each, from_attributes=True) for each in await opened.scalars(within)]
