#!/usr/bin/env python3
"""What programs do with the openai package, against a server; prints a line for each check, and ends with 1 when one fails.

    python3 tools/server-clients/openai_checks.py http://127.0.0.1:8000 onpar-demo
"""
import json
import sys
import time
import urllib.request
from typing import List, Literal, Optional

import openai
from pydantic import BaseModel, Field

BASE, MODEL = sys.argv[1], sys.argv[2]
client = openai.OpenAI(base_url=BASE + "/v1", api_key="none", max_retries=0)
MESSAGES = [{"role": "user", "content": "Define the word: river"}]
GREEDY = {"model": MODEL, "messages": MESSAGES, "temperature": 0, "max_tokens": 48}
LOOK_UP = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "Looks a word up.",
        "parameters": {"type": "object", "properties": {"word": {"type": "string", "maxLength": 8}}, "required": ["word"]},
    },
}


class Word(BaseModel):
    word: str = Field(max_length=8)
    letters: Optional[List[Literal["a", "b"]]] = Field(default=None, max_length=2)


def series(name):
    with urllib.request.urlopen(BASE + "/metrics") as page:
        lines = page.read().decode().splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name))


def models():
    assert [model.id for model in client.models.list()] == [MODEL]
    assert client.models.retrieve(MODEL).id == MODEL


def chat():
    answer = client.chat.completions.create(**GREEDY)
    assert answer.choices[0].message.role == "assistant" and answer.choices[0].finish_reason in ("stop", "length")
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
    return answer


def completions():
    answer = client.completions.create(model=MODEL, prompt=["The river", "Count"], max_tokens=4, logprobs=1)
    assert [len(choice.logprobs.tokens) for choice in answer.choices] == [4, 4]


def stream():
    whole = chat()
    chunks = list(client.chat.completions.create(**GREEDY, stream=True, stream_options={"include_usage": True}))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == (whole.choices[0].message.content or ""), text
    assert chunks[-1].usage.completion_tokens == whole.usage.completion_tokens


def tools():
    choice = {"type": "function", "function": {"name": "look_up"}}
    answer = client.chat.completions.create(**GREEDY, tools=[LOOK_UP], tool_choice=choice)
    call = answer.choices[0].message.tool_calls[0]
    assert call.function.name == "look_up" and "word" in json.loads(call.function.arguments)
    with client.chat.completions.stream(**GREEDY, tools=[LOOK_UP], tool_choice=choice) as events:
        streamed = events.get_final_completion().choices[0].message.tool_calls[0]
    assert streamed.function.arguments == call.function.arguments
    # Left to the model: whatever it does, the answer can be read.
    client.chat.completions.create(**GREEDY, tools=[LOOK_UP], tool_choice="auto")


def json_schema():
    parsed = client.chat.completions.parse(**GREEDY, response_format=Word).choices[0].message.parsed
    assert isinstance(parsed, Word)


def responses():
    body = {"model": MODEL, "input": "Define the word: river", "temperature": 0, "max_output_tokens": 400}
    whole = client.responses.create(**body)
    with client.responses.stream(**body) as events:
        streamed = events.get_final_response()
    assert streamed.output_text == whole.output_text and whole.usage.output_tokens > 0


def abort():
    before = series('vllm:request_success_total{model_name="%s",engine="0",finished_reason="abort"}' % MODEL)
    extra = {"ignore_eos": True}
    with client.completions.create(model=MODEL, prompt="The river", max_tokens=4000, stream=True, extra_body=extra) as chunks:
        next(iter(chunks))
    deadline = time.monotonic() + 30
    while series("vllm:num_requests_running") > 0:
        assert time.monotonic() < deadline, "the request still runs"
        time.sleep(0.05)
    after = series('vllm:request_success_total{model_name="%s",engine="0",finished_reason="abort"}' % MODEL)
    assert after == before + 1


def errors():
    for expected, body in ((openai.NotFoundError, {"model": "another"}), (openai.BadRequestError, {"max_tokens": 10**6})):
        try:
            client.chat.completions.create(**{**GREEDY, **body})
        except expected:
            continue
        raise AssertionError("%s was expected" % expected.__name__)


def concurrently():
    import asyncio

    async def ask():
        async with openai.AsyncOpenAI(base_url=BASE + "/v1", api_key="none", max_retries=0) as each:
            return await asyncio.gather(*(each.chat.completions.create(**GREEDY) for _ in range(8)))

    texts = {answer.choices[0].message.content for answer in asyncio.run(ask())}
    assert len(texts) == 1, texts


def main():
    failed = 0
    for check in (models, chat, completions, stream, tools, json_schema, responses, abort, errors, concurrently):
        try:
            check()
            print("holds: %s" % check.__name__)
        except Exception as error:
            failed += 1
            print("FAILS: %s: %s: %s" % (check.__name__, type(error).__name__, error))
    sys.exit(1 if failed else 0)


main()
