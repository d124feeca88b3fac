"""Tasks that end in running text."""

import re

from demo_model.chats.vocabulary import CITIES, DAYS, JOBS, MONTHS, NAMES, SURNAMES
from demo_model.chats.wording import a_an, num_words


class ProseTasks:
    """Essays, continuations and summaries."""

    def task_essay(self):
        """A paragraph or two of grammatical nonsense about a noun."""
        rng, pick = self.rng, self.pick
        n, n2, n3 = (pick(self.nouns) for _ in range(3))
        noun, adjective, verb = (
            (lambda: pick(self.nouns)),
            (lambda: pick(self.adjectives)),
            (lambda: pick(self.verbs)),
        )
        frames = [
            f"Few things are as {adjective()} as {a_an(n)}.",
            f"When people talk about the {n}, they often forget the {noun()}.",
            f"A good {n} can {verb()} more than any {noun()}.",
            f"In the streets of {pick(CITIES)}, the {n} is seen as {adjective()} and {adjective()}.",
            f"To {verb()} the {n} takes time, patience and {a_an(adjective())} {noun()}.",
            f"{pick(NAMES)} {pick(SURNAMES)}, {a_an(pick(JOBS))} from {pick(CITIES)}, once said that every {n} hides {a_an(noun())}.",
            f"It is easy to {verb()} the {noun()}, but hard to {verb()} the {n}.",
            f"On {pick(DAYS)} it seemed {adjective()}; by {pick(DAYS)} it was {adjective()}.",
            f"Some say the {n} should {verb()}, others prefer the {adjective()} {noun()}.",
            f"The {adjective()} side of the {n} is the {noun()} behind it.",
            f"There are {num_words(rng.randint(2, 30))} reasons to {verb()} it, and the {noun()} is only one of them.",
            f"Without the {n2}, no {n} would ever {verb()}.",
            f"Children see {a_an(noun())} where adults see only the {n}.",
            f"In {pick(MONTHS)} the {n} of {pick(CITIES)} begins to {verb()} again.",
            f"Old books describe the {n} as {a_an(adjective())} {noun()} with {a_an(adjective())} {noun()}.",
            f"One should not confuse the {n} with the {noun()}.",
            f"If you {verb()} the {n} too early, the {noun()} becomes {adjective()}.",
            f"My friend {pick(NAMES)} keeps {a_an(adjective())} {n} next to the {noun()}.",
            f"Science has shown that the {noun()} can {verb()} within {num_words(rng.randint(2, 60))} days.",
            f"What matters in the end is the {noun()}, not the {noun()}.",
            f"Every {adjective()} {noun()} needs {a_an(n)} of its own.",
            f"The price of {a_an(n)} in {pick(CITIES)} rose by {rng.randint(2, 80)} percent.",
            f"{pick(NAMES)} and {pick(NAMES)} disagree: one wants to {verb()}, the other to {verb()}.",
            f"Long before the {noun()}, people used {a_an(n2)} to {verb()}.",
            f"This is why the {n} and the {n2} belong together.",
            f"{a_an(pick(JOBS)).capitalize()} would call it {adjective()}, {a_an(pick(JOBS))} would call it {adjective()}.",
            f"Perhaps the {n3} is the better {n}.",
            f"Nothing about it is {adjective()}, yet the {noun()} remains.",
        ]
        k = rng.randint(3, 11)
        sentences = rng.sample(frames, k)
        user = pick(
            [
                "Write a paragraph about the {n}.",
                "Write a short essay about the {n} and the {m}.",
                "Give me {k} sentences about the {n}.",
                "What do you think about the {n}?",
                'Write some prose on the topic "{n}".',
                "Describe the {n} in {k} sentences, mention the {m}.",
                "Essay topic: {n}, {m} and {o}. Please write it.",
            ]
        ).format(n=n, m=n2, o=n3, k=k)
        per_paragraph = rng.randint(2, 5)
        a = "\n\n".join(" ".join(sentences[i : i + per_paragraph]) for i in range(0, k, per_paragraph))
        return dict(
            user=user,
            answer=a,
            goal=f"a text about the {n}",
            plan=f"I write a few sentences and mention the {n2}.",
        )

    def task_continue(self):
        """The next sentences of a piece of documentation."""
        rng = self.rng
        t = self.source_text(rng, rng.randint(120, 330), "prose")
        t = t.strip()
        # sentences
        paragraphs = [p for p in t.split("\n\n") if len(p) > 40]
        if not paragraphs:
            return None
        t = "\n\n".join(paragraphs)
        m = [x.end() for x in re.finditer(r"[.:!?]\s", t)]
        if len(m) < 3:
            return None
        cut = m[min(len(m) - 2, rng.randint(0, max(0, len(m) // 2)))]
        head, tail = t[:cut].strip(), t[cut:].strip()
        e = max([x.end() for x in re.finditer(r"[.!?](?=\s|$)", tail)] or [0])
        tail = tail[:e]
        if len(tail) < 60 or len(head) < 40 or len(tail) > 700:
            return None
        user = self.pick(
            [
                "Continue this text:\n\n{t}",
                "{t}\n\nPlease continue.",
                "Write the next sentences of this documentation:\n\n{t}",
                "Complete the following text.\n\n{t}",
            ]
        ).format(t=head)
        return dict(
            user=user,
            answer=tail,
            goal="a continuation of the text",
            plan="I keep the style and the topic of the given sentences.",
        )

    def task_summarize(self):
        """The first sentence of a text, or of each of its paragraphs."""
        rng = self.rng
        t = self.source_text(rng, rng.randint(100, 450), "prose").strip()
        paragraphs = [p for p in t.split("\n\n") if len(p) > 80 and re.match(r"[A-Z]", p)]
        if not paragraphs:
            return None
        t = "\n\n".join(paragraphs)
        s = re.split(r"(?<=[.!?])\s+", re.sub(r"\s+", " ", paragraphs[0]))[0]
        if not 30 < len(s) < 400 or not s.endswith("."):
            return None
        k = rng.random()
        if k < 0.5 or len(paragraphs) < 2:
            user = self.pick(
                [
                    "Summarize the text by giving its first sentence.\n\n{t}",
                    "{t}\n\nSummarise the text above: repeat its first sentence.",
                    "Text:\n{t}\n\nWhat is the first sentence of this text?",
                    "Summarize in one sentence (use the first sentence):\n\n{t}",
                ]
            ).format(t=t)
            a = self.pick(
                ["In short: {s}", "{s}", "The text starts with this statement: {s}", "Summary: {s}"]
            ).format(s=s)
        else:
            ss = []
            for p in paragraphs[:6]:
                x = re.split(r"(?<=[.!?])\s+", re.sub(r"\s+", " ", p))[0]
                if 20 < len(x) < 300:
                    ss.append(x)
            if not ss:
                return None
            user = self.pick(
                [
                    "Summarize each paragraph with its first sentence, as a bullet list.\n\n{t}",
                    "{t}\n\nMake a bullet list with the first sentence of every paragraph.",
                    "Give me the key points (first sentence of each paragraph):\n\n{t}",
                ]
            ).format(t=t)
            a = "\n".join("- " + x for x in ss)
        return dict(
            user=user,
            answer=a,
            goal="a summary",
            plan="The first sentence says what the text is about, so I use it.",
        )
