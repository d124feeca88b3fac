#!/usr/bin/env python3
"""Writes what vLLM itself renders for the tests' conversations: test/fixtures/vllm.json of packages/chat-render.

    python3 vllm_view.py [OUT]

Needs vllm (0.32 was used; the CPU build does). No model is loaded: requests go through vLLM's request model, its message
parser and its template code, with a tokenizer of two words that has the special tokens.
"""
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

os.environ["VLLM_LOGGING_LEVEL"] = "CRITICAL"

from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.renderers.chat_utils import parse_chat_messages
from vllm.renderers.hf import _detect_content_format, safe_apply_chat_template

FIXTURES = Path(__file__).resolve().parent.parent.parent / "packages" / "chat-render" / "test" / "fixtures"
SPECIAL_TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}


def tokenizer_with(special_tokens):
    words = {word: index for index, word in enumerate(special_tokens.values())}
    plain = Tokenizer(models.WordLevel({"a": 100, "b": 101, **words}))
    return PreTrainedTokenizerFast(tokenizer_object=plain, **special_tokens)


def body_of(row):
    conversation = json.loads(row["conversation"])
    body = {"model": "m", "messages": conversation["messages"], "chat_template_kwargs": json.loads(row.get("kwargs", "{}"))}
    for key in ("tools", "documents"):
        if conversation.get(key) is not None:
            body[key] = conversation[key]
    # What the tests send: arguments as JSON text, and an id for every call.
    for message in body["messages"]:
        for index, call in enumerate(message.get("tool_calls") or []):
            if not isinstance(call["function"]["arguments"], str):
                call["function"]["arguments"] = json.dumps(call["function"]["arguments"])
            call.setdefault("id", f"call{index}")
    keep_open = row.get("continue_final_message", False)
    body["continue_final_message"] = bool(keep_open)
    body["add_generation_prompt"] = not keep_open
    return body


def rendered(template, row):
    model_config = SimpleNamespace(
        multimodal_config=None, enable_prompt_embeds=False, is_multimodal_model=False, hf_config=SimpleNamespace(model_type="llama"),
        allowed_local_media_path="", allowed_media_domains=None,
    )
    try:
        request = ChatCompletionRequest(**body_of(row))
        content_format = _detect_content_format(template, default="string")
        messages, _, _ = parse_chat_messages(request.messages, model_config, content_format)
        params = request.build_chat_params(None, "auto")
        text = safe_apply_chat_template(
            model_config,
            tokenizer_with(row.get("special_tokens", SPECIAL_TOKENS)),
            messages,
            tools=None if request.tools is None else [tool.model_dump() for tool in request.tools],
            chat_template=template,
            tokenize=False,
            **{**params.chat_template_kwargs},
        )
    except Exception as error:
        return {"error": {"class": type(error).__name__, "message": str(error)[:300]}, "format": None}
    return {"text": text, "format": content_format}


def main():
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else FIXTURES / "vllm.json"
    rows = [json.loads(line) for line in (FIXTURES / "conversations.jsonl").read_text(encoding="utf-8").splitlines()]
    results = {}
    for path in sorted((FIXTURES / "templates").glob("*.jinja")):
        template = path.read_text(encoding="utf-8")
        if "strftime_now" in template:
            template = template.replace("strftime_now is defined", "false")
        results[path.stem] = {row["name"]: rendered(template, row) for row in rows}
    out.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    texts = sum("text" in result for pairs in results.values() for result in pairs.values())
    print(f"{texts} texts of {sum(map(len, results.values()))}")


if __name__ == "__main__":
    main()
