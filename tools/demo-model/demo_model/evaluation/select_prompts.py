"""Choose the prompts that packages/demo-model ships from the held-out prompts of the evaluation.

The rule looks at the prompts only, never at what the model answers to them:

1. Candidates come from the sets `main` and `mix`, have no tools, are rendered with thinking off and are at most
   600 tokens long. They stay in the order of the file.
2. The tasks are taken in the order in which they first appear. In each round every task gives one prompt: the first
   round its first candidate without an earlier turn, the second its first with earlier turns, later rounds its first
   that is left. A task without a candidate of that kind gives its first that is left; one that ran out gives none.
3. The rounds stop at 64 prompts.

    python3 -m demo_model.evaluation.select_prompts prompts-heldout.jsonl ../../packages/demo-model/prompts.jsonl
"""

import argparse
import json

COUNT = 64
MAX_PROMPT_TOKENS = 600


def has_history(row):
    """Whether the conversation holds an earlier turn of the assistant."""
    return any(message["role"] == "assistant" for message in row["messages"])


def select(rows, count=COUNT, max_prompt_tokens=MAX_PROMPT_TOKENS):
    """Return the chosen rows, ordered by round and task."""
    left = {}
    for row in rows:
        if row["set"] not in ("main", "mix") or row["tools"] or row["enable_thinking"]:
            continue
        if row["prompt_tokens"] <= max_prompt_tokens:
            left.setdefault(row["task"], []).append(row)
    chosen = []
    round_number = 0
    while len(chosen) < count and any(left.values()):
        for candidates in left.values():
            if not candidates or len(chosen) == count:
                continue
            wanted = candidates
            if round_number < 2:
                wanted = [row for row in candidates if has_history(row) == (round_number == 1)] or candidates
            chosen.append(wanted[0])
            candidates.remove(wanted[0])
        round_number += 1
    return chosen


def main():
    """Write the chosen prompts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "heldout", help="prompts-heldout.jsonl, as demo_model.evaluation.heldout_prompts writes it"
    )
    parser.add_argument("out", help="file to write, one {id, task, messages} a line")
    args = parser.parse_args()
    with open(args.heldout, encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    chosen = select(rows)
    with open(args.out, "w", encoding="utf-8") as f:
        for row in chosen:
            f.write(
                json.dumps({key: row[key] for key in ("id", "task", "messages")}, ensure_ascii=False) + "\n"
            )
    with_history = sum(map(has_history, chosen))
    print(
        f"{len(chosen)} prompts of {len({row['task'] for row in chosen})} tasks, {with_history} with earlier turns"
    )


if __name__ == "__main__":
    main()
