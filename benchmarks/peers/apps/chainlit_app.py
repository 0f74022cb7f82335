"""The least that Chainlit's documentation shows for a streamed reply; it stores nothing."""

import chainlit
from openai import AsyncOpenAI

model = AsyncOpenAI()


@chainlit.on_message
async def answer(question: chainlit.Message) -> None:
    reply = chainlit.Message(content="")
    prompt = [{"role": "user", "content": question.content}]
    async for chunk in await model.chat.completions.create(model="benchmark", messages=prompt, stream=True):
        if chunk.choices and (token := chunk.choices[0].delta.content):
            await reply.stream_token(token)
    await reply.update()
