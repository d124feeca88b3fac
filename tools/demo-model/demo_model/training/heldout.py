"""Fixed held-out batches, looked at while training runs."""

import numpy as np

from demo_model.training.batches import Batcher, plain_sample


def heldout_batches(data, settings, size):
    """Four batches of `size` tokens: base text, chats, long chats, and copies of 200 to 900 tokens."""
    batcher = Batcher(data, 4242, settings, heldout=True)
    return {
        "base": batcher.batch(size, 1.0, False),
        "chat": batcher.batch(size, 0.0, False),
        "long": batcher.batch(size, 0.0, True),
        "copy": _copies(batcher, size),
    }


def _copies(batcher, size):
    pieces = []
    while sum(len(tokens) for tokens, _ in pieces) < size:
        task = None
        while task is None or not task["answer"].strip():
            task = batcher.generator.task_copy(tokens=int(batcher.rng.uniform(200, 900)))
        drawn = batcher.chat_pieces([plain_sample(task["user"], task["answer"])])
        pieces += [piece for piece in drawn if len(piece[0]) < 3000]
    lengths = np.array([len(tokens) for tokens, _ in pieces], np.int32)
    lengths[-1] -= lengths.sum() - size
    tokens = np.concatenate([tokens for tokens, _ in pieces])[:size]
    weights = np.concatenate([np.append(weights[1:], np.uint8(0)) for _, weights in pieces])[:size]
    positions = np.concatenate([np.arange(length, dtype=np.uint16) for length in lengths])
    return tokens, weights, positions, lengths
