"""Write the held-out prompts of the evaluation.

    python3 -m demo_model.evaluation.heldout_prompts --corpus corpus.jsonl --words words.json --tokenizer DATA/tok \\
        --out prompts-heldout.jsonl
"""

import argparse
import json
from collections import Counter

from transformers import AutoTokenizer

from demo_model.chats.generator import Generator, task_weights
from demo_model.chats.sources import DocumentText, load_words
from demo_model.settings import ROUNDS

SEED = 20261130
CONTEXT_SIZE = 8100
MOST_NEW_TOKENS = 512
CONTEXT_TASKS = "mdtable code define extract funcs".split()
CONTEXT_LENGTHS = [500, 1500, 3000, 5500]
THINKING_TASKS = "arith mdtable define code listing story units extract".split()


class PromptSet:
    """Collects prompts that fit the context."""

    def __init__(self, tokenizer):
        """Count tokens with a tokenizer of transformers."""
        self.tokenizer = tokenizer
        self.rows = []

    def count(self, text):
        """Tokens of a text."""
        return len(self.tokenizer(text, add_special_tokens=False).input_ids)

    def add(self, set_name, sample, thinking=False):
        """Add a sample; returns whether it fitted."""
        messages = [{"role": role, "content": text} for role, text in sample["messages"]]
        tools = sample.get("tools")
        prompt = self.tokenizer.apply_chat_template(
            messages, tools=tools, add_generation_prompt=True, enable_thinking=thinking, tokenize=False
        )
        prompt_tokens, reference_tokens = self.count(prompt), self.count(sample["answer"])
        if prompt_tokens + max(reference_tokens, MOST_NEW_TOKENS) > CONTEXT_SIZE:
            return False
        if set_name in ("main", "mix") and reference_tokens > 480:
            return False
        self.rows.append(
            {
                "id": f"{set_name}-{len(self.rows):03d}",
                "set": set_name,
                "task": sample["task"],
                "messages": messages,
                "tools": tools,
                "enable_thinking": thinking,
                "prompt_tokens": prompt_tokens,
                "reference": sample["answer"],
                "reference_tokens": reference_tokens,
                "prompt": prompt,
            }
        )
        return True

    def fill(self, set_name, number, draw, thinking=False):
        """Draw until so many prompts of a set fitted. `draw(i)` gives the i-th sample, or None."""
        added = 0
        while added < number:
            sample = draw(added)
            added += sample is not None and self.add(set_name, sample, thinking)


def copy_sample(task):
    """A chat of one turn from a copying task."""
    return {"messages": [("user", task["user"])], "tools": None, "answer": task["answer"], "task": "copy"}


def draw_block_copy(generator):
    """A copy of a block of 20 to 60 lines, or None."""
    # The draw keeps the seed's course.
    generator.raw_task("copy")
    task = generator.task_copy(tokens=generator.rng.randint(160, 800))
    if task is None:
        return None
    fenced = task["answer"].startswith("```")
    lines = task["answer"].count("\n") + 1 - (2 if fenced else 0)
    return copy_sample(task) if 20 <= lines <= 60 else None


def draw_marked_copy(generator, prompts):
    """A copy of one marked block out of about 6000 tokens, or None."""
    rng = generator.rng
    task = generator.task_copymark(total=rng.randint(4700, 5600), block_tokens=rng.randint(150, 500))
    if task is None or not 5500 < prompts.count(task["user"]) < 6700:
        return None
    return copy_sample(task)


def make_prompts(generator, tokenizer):
    """All sets, in the order in which the seed is used."""
    prompts = PromptSet(tokenizer)
    plain = {"max_context": 700, "thinking": False, "context_share": 0.15, "history_share": 0.1}
    for name in task_weights(generator.settings):
        prompts.fill("main", 10, lambda _, name=name: generator.sample(name=name, **plain))
    prompts.fill(
        "context",
        40,
        lambda i: generator.sample(
            name=CONTEXT_TASKS[i % 5], thinking=False, context=CONTEXT_LENGTHS[i // 5 % 4], history_share=0
        ),
    )
    prompts.fill(
        "thinking",
        40,
        lambda i: generator.sample(
            max_context=300, name=THINKING_TASKS[i % 8], thinking=True, context_share=0.05, history_share=0
        ),
        thinking=True,
    )
    prompts.fill("copy-20-60", 60, lambda _: draw_block_copy(generator))
    prompts.fill("copy-6k", 30, lambda _: draw_marked_copy(generator, prompts))
    prompts.fill("mix", 130, lambda _: generator.sample(**plain))
    return prompts.rows


def main():
    """Write the prompts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--words", required=True)
    parser.add_argument("--tokenizer", required=True, help="folder with tokenizer and chat template")
    parser.add_argument("--round", type=int, choices=ROUNDS, default=2)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    source = DocumentText(args.corpus, heldout=True)
    generator = Generator(SEED, load_words(args.words), source, ROUNDS[args.round], heldout=True)
    rows = make_prompts(generator, AutoTokenizer.from_pretrained(args.tokenizer))
    with open(args.out, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(row) + "\n" for row in rows)
    print(len(rows), Counter(row["set"] for row in rows))


if __name__ == "__main__":
    main()
