#!/usr/bin/env python3
"""What Python's Jinja2, set up as transformers sets it up, makes of a template.

    oracle.py serve                 # JSON lines in, JSON lines out; see below
    oracle.py one 'TEMPLATE' ['{"name": "JSON variables"}']

Needs jinja2 >= 3.1 (pip install jinja2, or Debian's python3-jinja2). The clock that strftime_now reads is fixed.

A line on standard input is a list of requests, the answer is one line with the list of their results:

    {"template": TEXT, "vars": JSON TEXT, "now": ISO TIME}                           a bare render
    {"template": TEXT, "conversation": JSON TEXT, "add_generation_prompt": BOOL, "continue_final_message": BOOL or TEXT,
     "special_tokens": {...}, "kwargs": JSON TEXT, "now": ISO TIME}                  what apply_chat_template does

Values travel as JSON text so that 1.0 stays a float and keys keep their order on both sides. A result is
{"text": ..., "spans": [[start, end], ...]}, {"error": {"class": ..., "message": ..., "line": ...}}, or
{"limit": "time" or "memory"} where this process gave up. Answers are ASCII: lone surrogates survive.
"""
import json
import resource
import signal
import sys
import warnings
from contextlib import contextmanager
from copy import deepcopy
from datetime import datetime
from functools import lru_cache

import jinja2
from jinja2.exceptions import TemplateError, TemplateSyntaxError
from jinja2.ext import Extension, loopcontrols
from jinja2.nodes import CallBlock
from jinja2.sandbox import ImmutableSandboxedEnvironment

DEFAULT_NOW = "2026-07-26T12:34:56"
SECONDS_PER_CASE = 5
MEMORY_BYTES = 4 << 30
CONTINUE_TAG = "CONTINUE_FINAL_MESSAGE_TAG "


class OutOfTime(BaseException):
    """Not an Exception, so that no template can catch it."""


class GenerationBlocks(Extension):
    """{% generation %} prints its body and notes where the body stands in the output."""

    tags = {"generation"}

    def __init__(self, environment):
        super().__init__(environment)
        environment.extend(tracking=self.tracking)
        self._pieces = self._spans = None

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    @jinja2.pass_eval_context
    def _body(self, context, caller):
        text = caller()
        if self._pieces is not None:
            # A filter block may have written what is no str; it is told when all is joined.
            start = sum(len(piece) for piece in self._pieces if isinstance(piece, str))
            self._spans.append((start, start + len(text)))
        return text

    @contextmanager
    def tracking(self, pieces, spans):
        self._pieces, self._spans = pieces, spans
        try:
            yield
        finally:
            self._pieces = self._spans = None


def make_env(now):
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationBlocks, loopcontrols]
    )

    def raise_exception(message):
        raise TemplateError(message)

    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    def strftime_now(format):
        return now.strftime(format)

    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = strftime_now
    return env


@lru_cache(maxsize=16)
def compiled(source, now):
    return make_env(datetime.fromisoformat(now)).from_string(source)


def render(template, variables):
    """Renders piece by piece, as transformers does for the assistant mask."""
    pieces, spans = [], []
    with template.environment.tracking(pieces, spans):
        for piece in template.generate(**variables):
            pieces.append(piece)
    return "".join(pieces), spans


def apply_chat_template(template, source, request):
    conversation = json.loads(request["conversation"])
    messages, tools, documents = (conversation.get(key) for key in ("messages", "tools", "documents"))
    add_generation_prompt = request.get("add_generation_prompt", False)
    keep_open = request.get("continue_final_message", False)
    if len(messages) == 0 and keep_open:
        raise ValueError("Cannot apply chat template to an empty conversation. Provide at least one message.")
    if keep_open and add_generation_prompt:
        raise ValueError("continue_final_message and add_generation_prompt are not compatible.")
    final = None
    if keep_open:
        messages = deepcopy(messages)
        last = messages[-1]
        field = keep_open if isinstance(keep_open, str) else "content"
        final = last.get(field)
        if final is None:
            raise ValueError(f'continue_final_message is set but the final message has no "{field}" to continue!')
        if field not in source:
            raise ValueError(
                f'continue_final_message is set to "{field}" but this is not an accepted field in the chat_template'
            )
        if isinstance(final, (list, tuple)):
            for part in reversed(final):
                if "text" in part:
                    final = part["text"]
                    part["text"] = part["text"] + CONTINUE_TAG
                    break
            else:
                raise ValueError(
                    "continue_final_message is set but we could not find any text to continue in the final message!"
                )
        else:
            last[field] = last[field] + CONTINUE_TAG
    text, spans = render(
        template,
        {
            **request.get("special_tokens", {}),
            **json.loads(request.get("kwargs", "{}")),
            "messages": messages,
            "tools": tools,
            "documents": documents,
            "add_generation_prompt": add_generation_prompt,
        },
    )
    if keep_open:
        bare = CONTINUE_TAG.strip()
        if final.strip() not in text or bare not in text:
            raise ValueError(
                "continue_final_message is set but the final message does not appear in the chat after "
                "applying the chat template!"
            )
        place = text.rindex(bare)
        whole = text[place : place + len(CONTINUE_TAG)] == CONTINUE_TAG
        text = text[:place] if whole else text[:place].rstrip()
        # transformers tells no spans here; what is left of them is.
        spans = [(start, min(end, len(text))) for start, end in spans if start <= len(text)]
    return text, spans


def line_of(error):
    """Line of the template: a syntax error knows it, for others it is the innermost frame of the template."""
    if isinstance(error, TemplateSyntaxError):
        return error.lineno
    line, frame = None, error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == "<template>":
            line = frame.tb_lineno
        frame = frame.tb_next
    return line


def result_of(request):
    source = request["template"]
    try:
        template = compiled(source, request.get("now", DEFAULT_NOW))
        if "conversation" in request:
            text, spans = apply_chat_template(template, source, request)
        else:
            text, spans = render(template, json.loads(request.get("vars", "{}")))
        return {"text": text, "spans": spans}
    except OutOfTime:
        return {"limit": "time"}
    except MemoryError:
        return {"limit": "memory"}
    except Exception as error:  # every refusal is a result
        return {"error": {"class": type(error).__name__, "message": str(error), "line": line_of(error)}}


def out_of_time(signum, frame):
    raise OutOfTime


def bounded_result_of(request):
    try:
        signal.setitimer(signal.ITIMER_REAL, SECONDS_PER_CASE)
        try:
            return result_of(request)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except OutOfTime:
        return {"limit": "time"}


def serve():
    # Compiled templates make Python warn of what they try, such as 1[0].
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, out_of_time)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    for line in sys.stdin:
        answer = [bounded_result_of(request) for request in json.loads(line)]
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def main():
    match sys.argv[1:]:
        case ["serve"]:
            serve()
        case ["one", template, *variables]:
            print(json.dumps(result_of({"template": template, "vars": (variables or ["{}"])[0]}), ensure_ascii=False))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
