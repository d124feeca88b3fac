"""A dictionary and documents that are small enough to be made up, for tests of the generators."""

import itertools

SYLLABLES = ["ba", "do", "ki", "lu", "me", "no", "pa", "ri", "su", "te"]


def toy_words():
    """A thousand made-up words with glosses and examples."""
    words = ["".join(parts) for parts in itertools.product(SYLLABLES, repeat=3)]
    entries = []
    for i, word in enumerate(words):
        part = "nvar"[i % 4]
        neighbour = words[(i + 8) % len(words)]
        gloss = f"a made-up meaning that stands beside {neighbour}"
        example = f"the {word} was seen with a {neighbour} in the garden" if i % 2 else ""
        entries.append((word, part, gloss, example, [neighbour] if i % 3 else []))
    return entries


def toy_text(rng, tokens, kind):
    """A slice of whole lines, as chats.sources.DocumentText gives it."""
    lines = []
    while sum(map(len, lines)) < tokens * 3:
        n = rng.randint(1, 999)
        if kind == "code":
            lines += [f"def step_{n}(value):", f"    return value + {n}", ""]
        else:
            lines += [
                f"Section {n} describes the value of step {n}. It is larger than {n - 1}. The rest is plain text.",
                "",
            ]
    return "\n".join(lines)
