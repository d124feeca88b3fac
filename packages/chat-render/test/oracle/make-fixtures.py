#!/usr/bin/env python3
"""Writes the expectations of the tests with Python's Jinja2, set up as transformers sets it up.

    python3 make-fixtures.py          # reads ../fixtures/cases.json, writes ../fixtures/expected.json and strftime.json

Needs jinja2 >= 3.1. A case names a template (text, or a file of the fixtures) and what it is rendered with; its
expectation is {"text": ...} or {"error": {"class": ..., "message": ...}}.
"""
import json
from datetime import datetime
from pathlib import Path

import jinja2
from jinja2.exceptions import TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.nodes import CallBlock
from jinja2.sandbox import ImmutableSandboxedEnvironment

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
DEFAULT_NOW = "2026-07-26T12:34:56"


class GenerationBlocks(Extension):
    """{% generation %} marks the assistant's text and prints its body."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def environment(now):
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationBlocks, loopcontrols]
    )

    def raise_exception(message):
        raise TemplateError(message)

    def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(
            value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
        )

    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda layout: now.strftime(layout)
    return env


def expectation(case):
    env = environment(datetime.fromisoformat(case.get("now", DEFAULT_NOW)))
    source = case.get("template")
    if source is None:
        source = (FIXTURES / case["template_file"]).read_text(encoding="utf-8")
    try:
        text = env.from_string(source).render(
            messages=case["messages"],
            tools=case.get("tools"),
            documents=case.get("documents"),
            add_generation_prompt=case.get("add_generation_prompt", False),
            **{**case.get("special_tokens", {}), **case.get("kwargs", {})},
        )
    except Exception as error:  # every failure is an expectation
        return {"error": {"class": type(error).__name__, "message": str(error)}}
    return {"text": text}


def strftime_rows():
    moments = [
        (2026, 1, 1, 0, 0, 0), (2026, 7, 4, 5, 6, 7), (2026, 7, 26, 12, 34, 56), (2024, 2, 29, 23, 59, 59),
        (2024, 12, 30, 13, 0, 1), (2027, 1, 3, 9, 8, 7), (2021, 1, 4, 0, 1, 0), (2020, 12, 31, 11, 59, 0),
        (2016, 1, 1, 1, 1, 1), (2009, 12, 31, 20, 20, 20), (2000, 10, 10, 10, 10, 10), (2023, 11, 5, 3, 4, 5),
    ]
    layouts = [f"%{flag}{letter}" for letter in "aAbBcCdDeFgGhHIjklmMnpPrRStTuUVwWxXyYzZ%" for flag in ("", "-", "_", "0", "^")]
    layouts += ["%d %b %Y", "%A, %-d %B %Y", "%Y-%m-%dT%H:%M:%S", "100%", "%Q %E", "%f"]
    return [
        {"moment": list(moment), "layout": layout, "text": datetime(*moment).strftime(layout)}
        for moment in moments
        for layout in layouts
    ]


def write(name, value):
    (FIXTURES / name).write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main():
    cases = json.loads((FIXTURES / "cases.json").read_text(encoding="utf-8"))
    write("expected.json", {case["name"]: expectation(case) for case in cases})
    write("strftime.json", strftime_rows())
    print(f"jinja2 {jinja2.__version__}: {len(cases)} cases")


if __name__ == "__main__":
    main()
