"""Slices of real documents for the generator, decoded from the token stream."""


class TokenText:
    """Like chats.sources.DocumentText, but from tokens, so that training needs no copy of the text."""

    def __init__(self, base, documents, tokenizer, heldout):
        """`documents` are [offset, length, 0 for prose or 1 for code, 1 when held out, source]."""
        self.base, self.tokenizer = base, tokenizer
        self.documents = {
            kind: [d for d in documents if d[2] == number and d[3] == int(heldout)]
            for number, kind in enumerate(("prose", "code"))
        }

    def __call__(self, rng, tokens, kind):
        """Draw one slice of about so many tokens, whole lines, ASCII."""
        documents = self.documents[kind]
        while True:
            offset, n = documents[int(rng.random() * len(documents))][:2]
            if n < tokens * 0.7 and rng.random() < 0.9:
                continue
            start = int(rng.random() * max(1, n - tokens))
            ids = self.base[offset + start : offset + min(n, start + tokens)].tolist()
            text = self.tokenizer.decode(ids, skip_special_tokens=False)
            if start:
                text = text[text.find("\n") + 1 :]
            end = text.rfind("\n")
            if end > 20:
                text = text[:end]
            if len(text) > 10 and text.isascii():
                return text
