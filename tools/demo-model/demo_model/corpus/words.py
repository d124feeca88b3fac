"""Turn the data files of WordNet 3.0 into the dictionary of the generator.

Writes [[word, part of speech, gloss, example, synonyms], …], sorted by frequency: the first sense of each lower-case
single word.

    python3 -m demo_model.corpus.words --wordnet DIR --out words.json
"""

import argparse
import json
import re
from pathlib import Path

PARTS = ("noun", "verb", "adj", "adv")
# Entries with sexual, violent or insulting content are left out.
UNWANTED = re.compile(
    r"sex|genital|obscen|offensive|vulgar|slur|derog|disparag|nigg|negro|penis|vagina|breast|\brap(e|ist)|naked|nude|"
    r"prostitut|whore|bitch|slut|nazi|suicid|murder|jew|homosex|lesbian|\bgay|carnal|erotic|fuck|shit|\bcunt|\btit|damn|"
    r"pimp|masturb|ejacul|orgas|incest|pedoph|torture|retard|\bfag|ethnic|\brace|slave|excre|feces|urin|buttock|\bass\b|"
    r"crap|bastard|kill|corpse",
    re.I,
)


def lines_of(path):
    """Lines of a WordNet file without its licence, which is indented."""
    with open(path, encoding="utf-8") as f:
        return [line for line in f if not line.startswith("  ")]


def read_synsets(folder):
    """(part, offset) -> (part of speech, words, gloss, examples)."""
    synsets = {}
    for part in PARTS:
        for line in lines_of(folder / f"data.{part}"):
            data, text = line.rstrip().split(" | ", 1)
            fields = data.split(" ")
            count = int(fields[3], 16)
            words = [re.sub(r"\(.*\)", "", fields[4 + 2 * i]) for i in range(count)]
            gloss = re.split(r';\s*"', text)[0].strip().strip(";").strip()
            synsets[(part, fields[0])] = (fields[2], words, gloss, re.findall(r'"([^"]+)"', text))
    return synsets


def entry_of(word, synset):
    """The dictionary's entry for a word, or None when it is not wanted."""
    part_of_speech, words, gloss, examples = synset
    if word not in words:  # a proper noun, which WordNet capitalises
        return None
    if not 8 <= len(gloss) <= 170 or not gloss.isascii() or UNWANTED.search(word) or UNWANTED.search(gloss):
        return None

    def fits(text):
        return text.isascii() and not UNWANTED.search(text)

    example = next((e for e in examples if word in e.lower() and len(e) < 110 and fits(e)), "")
    synonyms = [w.replace("_", " ") for w in words if w != word and fits(w)][:3]
    return [word, part_of_speech, gloss, example, synonyms]


def read_words(folder):
    """All entries, frequent words first."""
    synsets = read_synsets(folder)
    entries = {}
    for part in PARTS:
        for line in lines_of(folder / f"index.{part}"):
            fields = line.split()
            word = fields[0]
            if word in entries or not re.fullmatch(r"[a-z]{3,16}", word):
                continue
            first_sense = fields[-int(fields[2])]
            entry = entry_of(word, synsets[(part, first_sense)])
            if entry is not None:
                entries[word] = entry
    counts = {}
    with open(folder / "cntlist.rev", encoding="utf-8") as f:
        for line in f:
            key, _, count = line.split()
            word = key.split("%")[0]
            counts[word] = counts.get(word, 0) + int(count)
    return sorted(entries.values(), key=lambda entry: -counts.get(entry[0], 0))


def main():
    """Write the dictionary."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--wordnet", required=True, type=Path, help="folder with data.noun, index.noun, cntlist.rev, …"
    )
    parser.add_argument("--out", required=True, type=Path)
    args = parser.parse_args()
    entries = read_words(args.wordnet)
    args.out.write_text(json.dumps(entries), encoding="utf-8")
    print(len(entries), "words")


if __name__ == "__main__":
    main()
