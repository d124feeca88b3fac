"""What the generator takes from outside: the dictionary and slices of real documents."""

import json

from demo_model.holdout import is_heldout_document


def load_words(path):
    """Load the dictionary that demo_model.corpus.words writes: (word, part of speech, gloss, example, synonyms)."""
    with open(path, encoding="utf-8") as f:
        return [tuple(entry) for entry in json.load(f)]


class DocumentText:
    """Slices of whole lines out of the documents of a corpus file.

    Called with a random source, the wanted number of tokens (three characters each) and `code` or `prose`.
    """

    def __init__(self, corpus_path, heldout=False):
        """Read the documents that are held out, or those that are not."""
        self.documents = {"code": [], "prose": []}
        with open(corpus_path, encoding="utf-8") as f:
            for line in f:
                document = json.loads(line)
                if is_heldout_document(document["src"] + "/" + document["path"]) == heldout:
                    self.documents[document["kind"]].append(document["text"])

    def __call__(self, rng, tokens, kind):
        """Draw one slice of ASCII text."""
        documents = self.documents[kind]
        wanted = tokens * 3
        while True:
            text = documents[int(rng.random() * len(documents))]
            if len(text) < wanted * 0.7 and rng.random() < 0.9:
                continue
            start = int(rng.random() * max(1, len(text) - wanted))
            if start:
                start = text.find("\n", start) + 1
            end = text.rfind("\n", start, start + wanted)
            if end <= start:
                end = start + wanted
            piece = text[start:end]
            if len(piece) > 10 and piece.isascii():
                return piece
