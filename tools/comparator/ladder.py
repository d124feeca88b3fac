#!/usr/bin/env python3
"""A context ladder by the comparator's protocol, in the standard library alone: an independent second measurement.

Follows the published protocol step by step and shares no code with the project. Prints one JSON line per rung.

    python3 tools/comparator/ladder.py --base-url http://127.0.0.1:8000 --source FILE --rungs 256,512 --tag x1
        [--reps 4] [--max-tokens 512] [--task TEXT] [--against rows.csv]

With --against it reads the rows.csv of `onpar sweep context` (same --tag, --source-path, --values, --reps, --output-len) and
prints how far the two are apart: prompt and output tokens have to be equal, the rest is noise.
"""
import argparse
import csv
import json
import statistics
import sys
import time
import urllib.request

TASK = (
    "Write a small, complete helper module that fits the code above: a typed function, one class that uses it, and a short "
    "example of its use."
)


def ask(url, body=None, timeout=600):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers={"content-type": "application/json"})
    return urllib.request.urlopen(request, timeout=timeout)


def gauges(base):
    """Values of the metrics page by name; series of one name are added."""
    values = {}
    for line in ask(base + "/metrics").read().decode().splitlines():
        if line and not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            key = name.split("{")[0]
            values[key] = values.get(key, 0.0) + float(value)
    return values


def wait_idle(base):
    names = (
        "sglang:num_running_reqs",
        "sglang:num_queue_reqs",
        "vllm:num_requests_running",
        "vllm:num_requests_waiting",
    )
    while sum(gauges(base).get(name, 0.0) for name in names) > 0:
        time.sleep(2)


def count(base, model, text):
    answer = json.load(ask(base + "/tokenize", {"model": model, "prompt": text, "add_special_tokens": False}))
    return len(answer.get("tokens") or answer.get("input_ids") or [])


def context(base, model, tag, source, target):
    """`[run tag]` and source code that make `target` tokens within max(8, 1 %), by at most 12 steps of bisection on characters."""
    head = "[run %s]\n" % tag
    text = source[: max(4096, 12 * target)]
    low, high = 0, len(text) + 1
    best = None
    for _ in range(12):
        cut = (low + high) // 2
        tokens = count(base, model, head + text[:cut])
        if best is None or abs(tokens - target) < abs(best[1] - target):
            best = (cut, tokens)
        if abs(tokens - target) <= max(8, target * 0.01):
            break
        if tokens < target:
            low = cut
        else:
            high = cut
    return head + text[: best[0]]


def request(base, model, prompt, max_tokens):
    body = {
        "model": model,
        "messages": [{"role": "user", "content": prompt}],
        "max_tokens": max_tokens,
        "temperature": 0,
        "stream": True,
        "stream_options": {"include_usage": True},
        "chat_template_kwargs": {"enable_thinking": False, "preserve_thinking": False},
    }
    start = time.monotonic()
    first, usage, output = None, None, 0
    for raw in ask(base + "/v1/chat/completions", body):
        line = raw.decode().strip()
        if not line.startswith("data:"):
            continue
        data = line[5:].strip()
        if data == "[DONE]":
            break
        event = json.loads(data)
        if "error" in event:
            raise SystemExit("the stream ends with an error: %s" % event["error"])
        usage = event.get("usage") or usage
        for choice in event.get("choices") or []:
            delta = choice.get("delta") or {}
            text = (delta.get("content") or "") + (delta.get("reasoning_content") or "")
            if text and first is None:
                first = time.monotonic()
            output += len(text.encode())
    end = time.monotonic()
    return {
        "ttft": first - start,
        "wall": end - start,
        "prompt": usage["prompt_tokens"],
        "tokens": usage["completion_tokens"],
        "bytes": output,
    }


def drafts(base):
    page = gauges(base)
    steps = page.get("vllm:spec_decode_num_drafts_total")
    if steps is None:
        return None
    return steps, page["vllm:spec_decode_num_accepted_tokens_total"], page["vllm:spec_decode_num_draft_tokens_total"]


def rung(options, model, source, target):
    base = options.base_url
    wait_idle(base)
    prompt = context(base, model, "%s-boot1_inputLen=%d-0" % (options.tag, target), source, target) + "\n\n" + options.task
    before = drafts(base)
    reps = [request(base, model, prompt, options.max_tokens) for _ in range(options.reps)]
    warm = request(base, model, prompt, options.max_tokens)
    after = drafts(base)
    kept = [one for one in reps if one["tokens"] >= 8]
    rates = [one["tokens"] / (one["wall"] - one["ttft"]) for one in kept]
    accepted = None
    if before is not None and after is not None and after[0] > before[0]:
        accepted = 1 + (after[1] - before[1]) / (after[0] - before[0])
    return {
        "ctx_target": target,
        "prompt_tokens": reps[0]["prompt"],
        "prefill_tok_s": reps[0]["prompt"] / reps[0]["ttft"],
        "gen_tok_s": statistics.median(rates) if rates else None,
        "accepted_per_pass": accepted,
        "cold_ttft_s": reps[0]["ttft"],
        "warm_ttft_s": warm["ttft"],
        "out_tokens": statistics.median_low([one["tokens"] for one in reps]),
        "reps": options.reps,
    }


def compare(rows, path):
    with open(path, newline="") as file:
        theirs = {int(row["ctx_target"]): row for row in csv.DictReader(file)}
    wrong = 0
    for row in rows:
        other = theirs[row["ctx_target"]]
        for name in ("prompt_tokens", "out_tokens"):
            same = row[name] == int(other[name])
            wrong += not same
            print("%6d %-18s %s %s%s" % (row["ctx_target"], name, row[name], other[name], "" if same else "  NOT EQUAL"))
        for name in ("gen_tok_s", "prefill_tok_s", "cold_ttft_s", "warm_ttft_s", "accepted_per_pass"):
            if row[name] is None or other[name] == "":
                continue
            print("%6d %-18s %.4g %.4g  ratio %.3f" % (row["ctx_target"], name, row[name], float(other[name]), float(other[name]) / row[name]))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--rungs", required=True)
    parser.add_argument("--tag", required=True)
    parser.add_argument("--reps", type=int, default=4)
    parser.add_argument("--max-tokens", type=int, default=512)
    parser.add_argument("--task", default=TASK)
    parser.add_argument("--against")
    options = parser.parse_args()
    model = json.load(ask(options.base_url + "/v1/models"))["data"][0]["id"]
    with open(options.source, encoding="utf-8") as file:
        source = file.read()
    rows = []
    for target in (int(text) for text in options.rungs.split(",")):
        rows.append(rung(options, model, source, target))
        print(json.dumps(rows[-1]), flush=True)
    if options.against:
        sys.exit(1 if compare(rows, options.against) else 0)


if __name__ == "__main__":
    main()
