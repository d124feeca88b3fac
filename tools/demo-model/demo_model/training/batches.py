"""Packed training batches: pieces of base text and freshly generated chats in one flat stream."""

import json
import math
import os
import random
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from demo_model.chats.generator import Generator
from demo_model.chats.render import END, render
from demo_model.chats.sources import load_words
from demo_model.training.token_text import TokenText

END_OF_TEXT = 0
# Loss weights are bytes, in 1/250.
FULL_WEIGHT = 250
PROMPT_WEIGHT = 25

# Tasks whose answers may be turned into a loop that ends.
_LOOPABLE = set(
    "define compare wordlist sentences essay story continue summarize email chat listing arith units numword case"
    " explain funcs lookup table".split()
)
# Tasks whose loops repeat whole rows rather than single words.
_ROWS = ("table", "listing")
# How often a period of 1, 2, 3 to 7, and 8 or more tokens repeats.
_REPEATS = (5, 4, 3, 3)


class Batcher:
    """Makes batches from one seed."""

    def __init__(self, data, seed, settings, heldout=False):
        """`data` is the folder with tok/, base.u16, base_docs.json and words.json."""
        data = Path(data)
        self.tokenizer = Tokenizer.from_file(str(data / "tok/tokenizer.json"))
        self.base = np.memmap(data / "base.u16", dtype=np.uint16, mode="r")
        self.settings = settings
        documents = json.loads((data / "base_docs.json").read_text())
        decoded = (
            self.tokenizer.decode([i], skip_special_tokens=False)
            for i in range(self.tokenizer.get_vocab_size())
        )
        self.has_line_feed = np.array(["\n" in text for text in decoded])
        source = TokenText(self.base, documents, self.tokenizer, heldout)
        self.generator = Generator(seed, load_words(data / "words.json"), source, settings, heldout=heldout)
        self.rng = random.Random(seed * 7919 + 1)
        usable = [d for d in documents if d[3] == int(heldout) and d[1] > 32]
        self.offsets = np.array([d[0] for d in usable])
        self.lengths = np.array([d[1] for d in usable])
        self.bounds = np.cumsum(self.lengths)
        self.pending = {"chat": [], "long": []}
        self.escape = 0.0 if heldout else settings.escape
        self.loop_end = self.tokenizer.encode("..." + END).ids

    # A piece is (tokens uint16 [n], weights uint8 [n]); weights[i] is the loss weight of predicting tokens[i].

    def base_piece(self, length):
        """Draw at most so many tokens of one document, beginning at a line."""
        i = int(np.searchsorted(self.bounds, self.rng.random() * self.bounds[-1], side="right"))
        offset, n = int(self.offsets[i]), int(self.lengths[i])
        if n <= length - 1:
            start, end = 0, n
        else:
            start = 0 if self.rng.random() < 0.25 else int(self.rng.random() * (n - length))
            if start:
                feeds = np.nonzero(self.has_line_feed[self.base[offset + start : offset + start + 150]])[0]
                start += int(feeds[0]) + 1 if len(feeds) else 0
            end = min(n, start + length)
        tokens = self.base[offset + start : offset + end]
        if end == n:
            tokens = np.append(tokens, np.uint16(END_OF_TEXT))
        tokens = tokens[:length]
        weights = np.full(len(tokens), FULL_WEIGHT, np.uint8)
        weights[0] = 0
        return tokens, weights

    def chat_pieces(self, samples):
        """Tokenise chats; prompts weigh a tenth of answers."""
        prompts, completions = zip(*[render(sample) for sample in samples], strict=True)
        prompts = self.tokenizer.encode_batch(list(prompts), add_special_tokens=False)
        completions = self.tokenizer.encode_batch(list(completions), add_special_tokens=False)
        pieces = []
        for prompt, completion, sample in zip(prompts, completions, samples, strict=True):
            ids, silent = completion.ids, None
            may_loop = self.escape and sample.get("task") in _LOOPABLE and len(ids) > 12
            if may_loop and self.rng.random() < self.escape:
                ids, first, last = self._loop(ids, sample["task"])
                silent = slice(len(prompt.ids) + first, len(prompt.ids) + last)
            tokens = np.array(prompt.ids + ids, dtype=np.uint16)
            weights = np.full(len(tokens), PROMPT_WEIGHT, np.uint8)
            weights[len(prompt.ids) :] = FULL_WEIGHT
            if silent is not None:
                weights[silent] = 0
            weights[0] = 0
            pieces.append((tokens, weights))
        return pieces

    def _loop(self, ids, task):
        """Turn an answer into a run of repetitions that ends.

        The answer goes up to a random point, its last few tokens come again and again (weight 0), then `...` and the end.
        This teaches the model to leave a loop when greedy decoding falls into one.
        """
        rng = self.rng
        point = rng.randint(6, len(ids) - 3)
        shortest = 8 if task in _ROWS else 1
        period = int(min(point - 2, max(shortest, math.exp(rng.uniform(math.log(shortest), math.log(48))))))
        kind = 0 if period == 1 else 1 if period == 2 else 2 if period < 8 else 3
        repeats = _REPEATS[kind] + rng.choice([0, 0, 0, 1, 2]) - 1
        looped = ids[:point] + ids[point - period : point] * repeats + self.loop_end
        return looped, point, point + period * repeats

    def _long_sample(self):
        """Draw a copy out of a long context, a long copy, or any task behind a long context."""
        rng, generator = self.rng, self.generator
        k = rng.random()
        marked, whole = self.settings.long_mix
        if k >= whole:
            return generator.sample(context=int(rng.uniform(1000, 6800)))
        task = None
        while task is None or not task["answer"].strip():
            if k < marked:
                total = int(rng.uniform(1000, 6400))
                block_tokens = int(min(900, max(30, rng.lognormvariate(5.6, 0.7))))
                task = generator.task_copymark(total, block_tokens)
            else:
                task = generator.task_copy(tokens=int(rng.uniform(600, 3500)))
        tag = generator.tag() + "\n" if rng.random() < 0.4 else ""
        return plain_sample(tag + task["user"], task["answer"])

    def _take(self, kind):
        queue = self.pending[kind]
        while not queue:
            if kind == "chat":
                samples = [
                    self.generator.sample(max_context=1500, history_thinking_share=0.3) for _ in range(96)
                ]
                longest = 2600
            else:
                samples = [self._long_sample() for _ in range(6)]
                longest = 8192
            queue.extend(piece for piece in self.chat_pieces(samples) if len(piece[0]) <= longest)
        return queue.pop()

    def batch(self, size, base_share, is_long):
        """Make one stream of `size` tokens.

        Returns tokens [size] uint16, loss weights [size] uint8 of the NEXT token, positions [size] uint16, and the lengths
        of the documents.
        """
        tokens, weights, lengths, n, n_base = [], [], [], 0, 0
        rng = self.rng
        while n < size:
            if n_base < base_share * size and (n == 0 or n_base / n < base_share + 0.02):
                t, w = self.base_piece(rng.choice([4096, 8192]) if is_long else rng.choice([512, 1024, 2048]))
                n_base += len(t)
            else:
                t, w = self._take("long" if is_long and rng.random() < 0.85 else "chat")
            if n + len(t) > size:
                t, w = t[: size - n], w[: size - n]
                if len(t) < 2:
                    t, w = np.full(size - n, END_OF_TEXT, np.uint16), np.zeros(size - n, np.uint8)
            tokens.append(t)
            weights.append(np.append(w[1:], np.uint8(0)))
            lengths.append(len(t))
            n += len(t)
        positions = [np.arange(length, dtype=np.uint16) for length in lengths]
        return (
            np.concatenate(tokens),
            np.concatenate(weights),
            np.concatenate(positions),
            np.array(lengths, np.int32),
        )


def plain_sample(user, answer):
    """A chat of one turn whose answer is a copy."""
    return {"messages": [("user", user)], "tools": None, "reasoning": None, "answer": answer, "task": "copy"}


def worker(data, seed, settings, size, queue, progress, long_share, schedule):
    """Fill a queue with batches for ever. `schedule` is [(progress, base-text share up to there)]."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.nice(5)
    batcher = Batcher(data, seed, settings)
    while True:
        base_share = next(share for until, share in schedule if progress.value <= until)
        is_long = batcher.rng.random() < long_share
        queue.put(batcher.batch(size, base_share, is_long))
