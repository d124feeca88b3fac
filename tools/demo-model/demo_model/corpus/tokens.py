"""Tokenise the corpus into one stream.

Writes base.u16 (token ids, 16 bits each) and base_docs.json: [offset, length, 0 for prose or 1 for code, 1 when held out,
source] by document.

    python3 -m demo_model.corpus.tokens --corpus corpus.jsonl --tokenizer DATA/tok/tokenizer.json --out DATA
"""

import argparse
import itertools
import json
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from demo_model.holdout import is_heldout_document

BATCH = 256


def documents(path):
    """Yield (text, [kind, held out, source]) of a corpus file."""
    with open(path, encoding="utf-8") as f:
        for line in f:
            d = json.loads(line)
            heldout = is_heldout_document(d["src"] + "/" + d["path"])
            yield d["text"], [0 if d["kind"] == "prose" else 1, int(heldout), d["src"]]


def tokenise(tokenizer, rows):
    """Return the stream and the list of documents."""
    stream, listed, offset = [], [], 0
    rows = iter(rows)
    while batch := list(itertools.islice(rows, BATCH)):
        encoded = tokenizer.encode_batch([text for text, _ in batch])
        for encoding, (_, about) in zip(encoded, batch, strict=True):
            ids = np.array(encoding.ids, dtype=np.uint16)
            stream.append(ids)
            listed.append([offset, len(ids), *about])
            offset += len(ids)
    return np.concatenate(stream), listed


def main():
    """Tokenise and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--out", required=True, type=Path)
    args = parser.parse_args()
    stream, listed = tokenise(Tokenizer.from_file(args.tokenizer), documents(args.corpus))
    args.out.mkdir(parents=True, exist_ok=True)
    stream.tofile(args.out / "base.u16")
    (args.out / "base_docs.json").write_text(json.dumps(listed))
    heldout = sum(document[3] for document in listed)
    print(f"{len(stream)} tokens in {len(listed)} documents, {heldout} of them held out")


if __name__ == "__main__":
    main()
