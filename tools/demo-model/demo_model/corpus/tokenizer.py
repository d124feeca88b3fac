"""Train the tokenizer: byte-level BPE with 4096 entries and the pre-tokenizer of Qwen2.

Writes tokenizer.json, tokenizer_config.json, generation_config.json and chat_template.jinja.

    python3 -m demo_model.corpus.tokenizer --corpus corpus.jsonl --words words.json --out DATA/tok
"""

import argparse
import json
import random
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from demo_model.chats.generator import Generator
from demo_model.chats.sources import DocumentText, load_words
from demo_model.holdout import is_heldout_document
from demo_model.settings import ROUNDS

TEMPLATE = Path(__file__).parents[2] / "chat_template.jinja"
VOCABULARY = 4096
# Special: hidden from decoded text.
CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
# One token each, and visible.
MARKERS = ["<think>", "</think>", "<tool_call>", "</tool_call>"]
PATTERN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
SHARE_OF_DOCUMENTS = 0.45
CHATS = 60_000


def training_texts(corpus, words, chats):
    """Yield documents and chats that are not held out."""
    rng = random.Random(1)
    with open(corpus, encoding="utf-8") as f:
        for line in f:
            document = json.loads(line)
            if is_heldout_document(document["src"] + "/" + document["path"]):
                continue
            if rng.random() < SHARE_OF_DOCUMENTS:
                yield document["text"][:60000]
    generator = Generator(7, load_words(words), DocumentText(corpus), ROUNDS[1])
    for _ in range(chats):
        sample = generator.sample(max_context=100)
        yield sample["messages"][-1][1][-1500:]
        yield sample["answer"]


def train(texts):
    """Train, and return the tokenizer as the content of tokenizer.json."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=False))
    split = pre_tokenizers.Split(Regex(PATTERN), "isolated", invert=False)
    to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, to_bytes])
    tokenizer.decoder = decoders.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False)
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=CONTROL + MARKERS,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        min_frequency=2,
        max_token_length=24,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    content = json.loads(tokenizer.to_str())
    for token in content["added_tokens"]:
        token["special"] = token["content"] in CONTROL
    content["normalizer"] = None
    content["post_processor"] = None
    return content


def write(content, out):
    """Write tokenizer, its settings and the chat template."""
    out.mkdir(parents=True, exist_ok=True)
    template = TEMPLATE.read_text(encoding="utf-8").rstrip("\n")
    (out / "chat_template.jinja").write_text(template, encoding="utf-8")

    def dump(name, value):
        (out / name).write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8")

    kept = ("content", "lstrip", "normalized", "rstrip", "single_word", "special")
    dump("tokenizer.json", content)
    dump(
        "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": 8192,
            "bos_token": None,
            "eos_token": "<|im_end|>",
            "pad_token": "<|endoftext|>",
            "unk_token": None,
            "add_bos_token": False,
            "add_prefix_space": False,
            "clean_up_tokenization_spaces": False,
            "errors": "replace",
            "split_special_tokens": False,
            "additional_special_tokens": ["<|im_start|>"],
            "added_tokens_decoder": {
                str(token["id"]): {key: token[key] for key in kept} for token in content["added_tokens"]
            },
            "chat_template": template,
        },
    )
    ids = {token["content"]: token["id"] for token in content["added_tokens"]}
    dump(
        "generation_config.json",
        {
            "eos_token_id": [ids["<|im_end|>"], ids["<|endoftext|>"]],
            "pad_token_id": ids["<|endoftext|>"],
            "max_new_tokens": 512,
            "do_sample": False,
        },
    )


def main():
    """Train and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--words", required=True)
    parser.add_argument("--chats", type=int, default=CHATS, help="number of chats to learn from")
    parser.add_argument("--out", required=True, type=Path)
    args = parser.parse_args()
    content = train(training_texts(args.corpus, args.words, args.chats))
    entries = len(content["model"]["vocab"])
    if entries != VOCABULARY:
        raise SystemExit(f"the corpus is too small: {entries} entries instead of {VOCABULARY}")
    write(content, args.out)
    print({token["content"]: token["id"] for token in content["added_tokens"]})


if __name__ == "__main__":
    main()
