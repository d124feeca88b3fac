"""Compare transformers with llama.cpp on the same prompts, and measure perplexity on held-out base text.

    python3 -m demo_model.evaluation.transformers_check --target hf-target --draft hf-draft --data DATA \\
        --prompts prompts-heldout.jsonl --results results.jsonl --out hf.json
"""

import argparse
import json
import math
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

PROMPTS = 20
NEW_TOKENS = 160
PERPLEXITY_TOKENS = 120_000


def read_lines(path):
    """Objects of a file with one JSON object a line."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


@torch.no_grad()
def compare(model, tokenizer, prompts, results):
    """How far greedy output of transformers follows llama.cpp's, and how often the next token is the same."""
    identical, agreeing, total, first = 0, 0, 0, []
    for result in results:
        prompt = tokenizer(prompts[result["id"]], add_special_tokens=False).input_ids
        wanted = tokenizer(result["text"], add_special_tokens=False).input_ids[:NEW_TOKENS]
        generated = model.generate(
            torch.tensor([prompt]),
            attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
            max_new_tokens=len(wanted),
            do_sample=False,
        )[0, len(prompt) :].tolist()
        identical += generated == wanted
        pairs = zip(generated, wanted, strict=False)
        first.append(next((i for i, (a, b) in enumerate(pairs) if a != b), len(wanted)))
        logits = model(torch.tensor([prompt + wanted])).logits[0, len(prompt) - 1 : -1]
        agreeing += sum(a == b for a, b in zip(logits.argmax(-1).tolist(), wanted, strict=True))
        total += len(wanted)
    return {
        "prompts": len(results),
        "identical_sequences": identical,
        "tokens": total,
        "next_token_agreement": round(agreeing / total, 4),
        "first_difference_at": first,
    }


@torch.no_grad()
def perplexity(model, tokenizer, data):
    """Perplexity by token and bits by character on the beginnings of held-out documents, prose and code apart."""
    base = np.memmap(data / "base.u16", dtype=np.uint16, mode="r")
    documents = [d for d in json.loads((data / "base_docs.json").read_text()) if d[3] and d[1] > 64]
    loss, tokens, characters = [0.0, 0.0], [0, 0], [0, 0]
    for offset, length, kind, _, _ in documents:
        ids = torch.from_numpy(base[offset : offset + min(length, 1024)].astype(np.int64))
        logits = model(ids[None]).logits[0, :-1]
        loss[kind] += torch.nn.functional.cross_entropy(logits, ids[1:], reduction="sum").item()
        tokens[kind] += len(ids) - 1
        characters[kind] += len(tokenizer.decode(ids[1:].tolist()))
        if sum(tokens) > PERPLEXITY_TOKENS:
            break

    def row(nats, n, letters):
        return {
            "tokens": n,
            "ppl_per_token": round(math.exp(nats / n), 3),
            "bits_per_char": round(nats / letters / math.log(2), 4),
        }

    rows = {
        name: row(loss[i], tokens[i], characters[i]) for i, name in enumerate(("prose", "code")) if tokens[i]
    }
    return {**rows, "all": row(sum(loss), sum(tokens), sum(characters))}


def load_model(folder, dtype):
    """Load a folder; every weight must be there and used."""
    model, info = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, output_loading_info=True)
    if info["missing_keys"] or info["unexpected_keys"]:
        raise SystemExit(f"{folder} does not fit its architecture: {info}")
    return model.eval()


def main():
    """Compare, measure and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("target", "draft", "prompts", "results", "out"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--data", required=True, type=Path, help="folder with base.u16 and base_docs.json")
    args = parser.parse_args()
    tokenizer = AutoTokenizer.from_pretrained(args.target)
    prompts = {row["id"]: row["prompt"] for row in read_lines(args.prompts)}
    results = [
        r for r in read_lines(args.results) if r["set"] in ("main", "mix") and r["prompt_tokens"] < 1500
    ]
    results = results[:: max(1, len(results) // PROMPTS)][:PROMPTS]
    report = {}
    for dtype in (torch.float32, torch.bfloat16):
        name = "hf_vs_llama_q8_" + str(dtype).split(".")[1]
        report[name] = compare(load_model(args.target, dtype), tokenizer, prompts, results)
        print(name, report[name], flush=True)
    for name in ("target", "draft"):
        model = load_model(getattr(args, name), torch.float32)
        report["perplexity_" + name] = perplexity(model, tokenizer, args.data)
        print(name, report["perplexity_" + name], flush=True)
    Path(args.out).write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
