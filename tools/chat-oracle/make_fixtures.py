#!/usr/bin/env python3
"""Writes what the tests of packages/chat-render expect, with Python's Jinja2.

    python3 make_fixtures.py

Reads constructs.jsonl here and, from the tests' fixtures, cases.json, conversations.jsonl and templates/*.jinja. Writes
constructs.jsonl, rendered.json (every template with every conversation), expected.json (of cases.json) and strftime.json.
"""
import json
import re
from datetime import datetime
from pathlib import Path

import jinja2

import oracle

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parent.parent / "packages" / "chat-render" / "test" / "fixtures"
SPECIAL_TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
ADDRESS = re.compile(r" at 0x[0-9a-f]+>")


def read_lines(path):
    # Not splitlines, which also ends lines at characters that stand in JSON texts.
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line != ""]


def settled(request):
    """The result of a request, which must not hold what changes from run to run."""
    result = oracle.bounded_result_of(request)
    if "limit" in result or ADDRESS.search(json.dumps(result)):
        raise SystemExit(f"no lasting expectation: {request} gives {result}")
    return result


def constructs():
    return [{**row, **settled(row)} for row in read_lines(HERE / "constructs.jsonl")]


def rendered():
    conversations = read_lines(FIXTURES / "conversations.jsonl")
    return {
        path.stem: {row["name"]: settled({"special_tokens": SPECIAL_TOKENS, **row, "template": source}) for row in conversations}
        for path in sorted((FIXTURES / "templates").glob("*.jinja"))
        for source in [path.read_text(encoding="utf-8")]
    }


def request_of(case):
    """A row of cases.json, whose values are plain JSON, as a request."""
    source = case.get("template") or (FIXTURES / case["template_file"]).read_text(encoding="utf-8")
    conversation = {key: case[key] for key in ("messages", "tools", "documents") if key in case}
    kept = {key: case[key] for key in ("add_generation_prompt", "special_tokens", "now") if key in case}
    return {
        **kept,
        "template": source,
        "conversation": json.dumps(conversation),
        "kwargs": json.dumps(case.get("kwargs", {})),
    }


def cases():
    rows = json.loads((FIXTURES / "cases.json").read_text(encoding="utf-8"))
    return {case["name"]: settled(request_of(case)) for case in rows}


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


def write_json(name, value):
    (FIXTURES / name).write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def write_lines(name, rows):
    # ASCII, so that lone surrogates and odd line ends stay what they are.
    (FIXTURES / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def main():
    rows = constructs()
    write_lines("constructs.jsonl", rows)
    matrix = rendered()
    write_json("rendered.json", matrix)
    write_json("expected.json", cases())
    write_json("strftime.json", strftime_rows())
    pairs = sum(len(results) for results in matrix.values())
    print(f"jinja2 {jinja2.__version__}: {len(rows)} constructs, {pairs} pairs of template and conversation")


if __name__ == "__main__":
    main()
