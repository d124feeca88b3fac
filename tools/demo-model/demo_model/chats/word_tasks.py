"""Tasks about words of the dictionary."""

from demo_model.chats.vocabulary import PARTS_OF_SPEECH
from demo_model.chats.wording import a_an
from demo_model.holdout import is_heldout_word


class WordTasks:
    """Definitions, comparisons, glossaries, example sentences."""

    def task_define(self):
        """A word of the dictionary: meaning, example, similar words."""
        rng, pick = self.rng, self.pick
        w, pos, gloss, example, synonyms = self.word()
        user = pick(
            [
                'What does the word "{w}" mean?',
                'Define "{w}".',
                "Explain the word {w}.",
                "What is the meaning of {w}?",
                'Give a definition of "{w}" and an example.',
                'Tell me what "{w}" means.',
                'I came across the word "{w}". What does it mean?',
                "Look up: {w}",
                'How would a dictionary define "{w}"?',
            ]
        ).format(w=w)
        kind = rng.random()
        if kind < 0.4:
            a = f"**{w}** ({PARTS_OF_SPEECH[pos]}): {gloss}."
            if example:
                a += f'\n\nExample: "{example}"'
            if synonyms:
                a += f"\n\nSimilar words: {', '.join(synonyms)}."
        elif kind < 0.7:
            a = pick(
                [
                    f'The {PARTS_OF_SPEECH[pos]} "{w}" means: {gloss}.',
                    f'"{w[0].upper() + w[1:]}" is {a_an(PARTS_OF_SPEECH[pos])}. It means {gloss}.',
                    f'As {a_an(PARTS_OF_SPEECH[pos])}, "{w}" stands for {gloss}.',
                ]
            )
            if example:
                a += pick(
                    [
                        f' You could say: "{example}"',
                        f' For example: "{example}"',
                        f' It is used like this: "{example}"',
                    ]
                )
            if synonyms:
                a += pick(
                    [f' A related word is "{synonyms[0]}".', f" Related words are {', '.join(synonyms)}."]
                )
            a += pick(["", "", " I hope that helps.", " Let me know if you want more examples."])
        else:
            a = f"- Word: {w}\n- Part of speech: {PARTS_OF_SPEECH[pos]}\n- Meaning: {gloss}"
            if example:
                a += f"\n- Example: {example}"
            if synonyms:
                a += f"\n- Related: {', '.join(synonyms)}"
        return dict(
            user=user,
            answer=a,
            goal=f'the meaning of "{w}"',
            plan=f"It is {a_an(PARTS_OF_SPEECH[pos])}. I give the definition and an example.",
        )

    def task_compare(self):
        """Two words of the dictionary side by side."""
        a, b = self.word(), self.word()
        user = self.pick(
            [
                'What is the difference between "{a}" and "{b}"?',
                "Compare the words {a} and {b}.",
                'How do "{a}" and "{b}" differ?',
                "Explain the difference between {a} and {b} in a few sentences.",
            ]
        ).format(a=a[0], b=b[0])
        ans = (
            "The two words mean different things.\n\n"
            f"- **{a[0]}** is {a_an(PARTS_OF_SPEECH[a[1]])}: {a[2]}.\n"
            f"- **{b[0]}** is {a_an(PARTS_OF_SPEECH[b[1]])}: {b[2]}."
        )
        if a[3]:
            ans += f'\n\nAn example for "{a[0]}" is: "{a[3]}"'
        if b[3]:
            ans += f'\n\nAn example for "{b[0]}" is: "{b[3]}"'
        ans += self.pick(["", f'\n\nIn short, "{a[0]}" and "{b[0]}" should not be mixed up.'])
        return dict(
            user=user,
            answer=ans,
            goal=f'a comparison of "{a[0]}" and "{b[0]}"',
            plan="I define both words, then say how they differ.",
        )

    def task_wordlist(self):
        """A small glossary, as a list or a table."""
        rng = self.rng
        n = rng.randint(3, 8)
        entries = [self.word() for _ in range(n)]
        user = self.pick(
            [
                "Explain these words in one line each: {l}.",
                "Make a small glossary for: {l}",
                "Define the following words: {l}",
                "Write a two-column markdown table with the words {l} and their meanings.",
            ]
        ).format(l=", ".join(w[0] for w in entries))
        if "table" in user:
            a = "| Word | Meaning |\n| --- | --- |\n" + "\n".join(f"| {w[0]} | {w[2]} |" for w in entries)
        else:
            a = "\n".join(f"{i + 1}. **{w[0]}** - {w[2]}" for i, w in enumerate(entries))
        return dict(
            user=user,
            answer=a,
            goal=f"a glossary of {n} words",
            plan="I go through the words in the given order.",
        )

    def task_sentences(self):
        """Example sentences with a word, or without a topic."""
        rng, pick = self.rng, self.pick
        k = rng.random()
        if k < 0.6:
            while True:
                w = pick(self.example_words)
                if is_heldout_word(w) == self.heldout:
                    break
            ex = self.examples_by_word[w][:]
            rng.shuffle(ex)
            n = min(len(ex), rng.randint(2, 8))
            ex = ex[:n]
            user = pick(
                [
                    f'Write {n} sentences with the word "{w}".',
                    f'Show me how "{w}" is used in {n} sentences.',
                    f"Use the word {w} in {n} example sentences.",
                    f'Give {n} examples for the use of "{w}".',
                ]
            )
        else:
            n = rng.randint(3, 9)
            ex = [pick(self.examples) for _ in range(n)]
            user = pick(
                [
                    f"Write {n} unrelated English sentences.",
                    f"Give me {n} sample sentences for a typing test.",
                    f"I need {n} short sentences as test data.",
                    f"Please write {n} phrases or sentences.",
                ]
            ) + pick(["", f" Topic: {pick(self.nouns)}.", f" (set {rng.randint(1, 9999)})"])
        ex = [e[0].upper() + e[1:] for e in ex]
        ex = [e if e[-1] in ".!?" else e + "." for e in ex]
        f = rng.random()
        if f < 0.5:
            a = "\n".join(f"{i + 1}. {e}" for i, e in enumerate(ex))
        elif f < 0.75:
            a = "\n".join(f"- {e}" for e in ex)
        else:
            a = " ".join(ex)
        return dict(user=user, answer=a, goal=f"{n} sentences", plan="I write short and different sentences.")
