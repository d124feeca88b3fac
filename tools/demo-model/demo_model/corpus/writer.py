"""Which texts are kept, and how they are written."""

import hashlib
import json
import re

# Signs of typography that have a plain form.
PLAIN = {
    0x2018: "'",
    0x2019: "'",
    0x201C: '"',
    0x201D: '"',
    0x2013: "-",
    0x2014: "--",
    0x2026: "...",
    0xA0: " ",
    0x2192: "->",
    0x2022: "-",
    0xB6: None,
    0x200B: None,
    0xFEFF: None,
    0x2212: "-",
    0xAD: None,
}
MOST_NON_ASCII = 0.01
MOST_SEEN_LINES = 0.5
LONG_DOCUMENT = 60_000
PIECE = 40_000


def clean(text, is_prose):
    """Normalise line ends and white space; prose also loses typographic signs."""
    if is_prose:
        text = text.translate(PLAIN)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    text = re.sub(r"[ \t]+\n", "\n", text)
    text = re.sub(r"\n{4,}", "\n\n\n", text)
    return text.strip() + "\n"


def is_plain_text(text):
    """Whether a text is long enough and nearly all ASCII."""
    start = text[:20000]
    return len(text) >= 300 and sum(ord(c) > 127 for c in start) <= MOST_NON_ASCII * len(start)


def is_written_code(text):
    """Whether code was written by people: no giant lines, no encoded data."""
    lines = text.split("\n")
    if max(map(len, lines)) > 2000 or len(text) / max(1, len(lines)) > 90:
        return False
    return not re.search(r"[A-Za-z0-9+/]{300,}", text)


def split_document(text):
    """Split an over-long document at blank lines."""
    if len(text) <= LONG_DOCUMENT:
        return [text]
    pieces, current, n = [], [], 0
    for paragraph in re.split(r"(?<=\n)\n", text):
        current.append(paragraph)
        n += len(paragraph) + 1
        if n > PIECE:
            pieces.append("\n".join(current))
            current, n = [], 0
    if current:
        pieces.append("\n".join(current))
    return pieces


class CorpusWriter:
    """Writes documents that pass, one JSON object a line, and drops near-duplicates."""

    def __init__(self, file):
        """Write to an open text file."""
        self.file = file
        self.seen_lines = set()
        self.seen_documents = set()
        self.statistics = {}

    def add(self, source, path, kind, text, limit=None):
        """Add one document of kind `prose` or `code`, unless its source has already given `limit` characters."""
        text = clean(text, kind == "prose")
        if not is_plain_text(text) or (kind == "code" and not is_written_code(text)):
            return
        statistics = self.statistics.setdefault(source, {"docs": 0, "chars": 0, "dropped_dup": 0})
        if limit and statistics["chars"] > limit:
            return
        digest = hashlib.md5(text.encode()).digest()
        if digest in self.seen_documents:
            return
        self.seen_documents.add(digest)
        lines = [hash(line.strip()) for line in text.split("\n") if len(line.strip()) > 25]
        if lines:
            if sum(line in self.seen_lines for line in lines) / len(lines) > MOST_SEEN_LINES:
                statistics["dropped_dup"] += 1
                return
            self.seen_lines.update(lines)
        pieces = split_document(text)
        for i, piece in enumerate(pieces):
            if not 200 <= len(piece) <= 200_000:
                continue
            name = path + (f"#{i}" if len(pieces) > 1 else "")
            self.file.write(json.dumps({"src": source, "path": name, "kind": kind, "text": piece}) + "\n")
            statistics["docs"] += 1
            statistics["chars"] += len(piece)
