"""Text that stands around a task without belonging to it."""

import re


class ContextParts:
    """Tags as benchmark tools put them before prompts, and long distracting contexts."""

    def tag(self):
        """Draw a tag such as `[run 3f2a9c]`, which makes a prompt unique."""
        rng, pick = self.rng, self.pick
        digits = "".join(pick("0123456789abcdef") for _ in range(rng.choice([4, 6, 8, 12])))
        return pick(
            [
                f"[run {digits}]",
                f"[run:{digits} seq={rng.randint(0, 999)}]",
                f"[bench-{rng.randint(1, 99)}]",
                f"[{digits}]",
                f"[request {rng.randint(1, 9999)}]",
                f"[run tag {digits}]",
                f"[chat {digits} / turn {rng.randint(1, 20)}]",
                f"[cold {digits}]",
                f"# run {digits}",
                f"[{rng.randint(1, 999)}/{rng.randint(1, 999)}]",
            ]
        )

    def filler(self, tokens):
        """Draw real documents or code, numbered lines, simple sentences or generated functions."""
        rng, pick = self.rng, self.pick
        k = rng.random()
        if k < 0.5:
            text = self.source_text(rng, tokens, "code")
        elif k < 0.78:
            text = self.source_text(rng, tokens, "prose")
        elif k < 0.86:
            text = self.noise_block(max(1, tokens // 18))
        elif k < 0.93:
            sentences, n = [], 0
            while n < tokens:
                sentences.append(pick(self.words)[2].capitalize() + ".")
                n += len(sentences[-1]) // 3
            text = " ".join(sentences)
        else:
            functions, n = [], 0
            language = pick(["python", "typescript"])
            while n < tokens:
                functions.append(self.random_function(language)[3])
                n += len(functions[-1]) // 3
            text = "\n\n".join(functions)
        return text.strip("\n").replace("```", "'''") if rng.random() < 0.5 else text.strip("\n")

    def with_context(self, user, tokens):
        """Put about so many tokens of other text around a task."""
        rng, pick = self.rng, self.pick
        text = self.filler(tokens)
        if rng.random() < 0.5:
            text = (
                "```" + pick(["", "python", "ts", "text", ""]) + "\n" + text.replace("```", "'''") + "\n```"
            )
        layout = pick(
            [
                "{tag}\n{t}\n\n{u}",
                "{tag}\n\n{t}\n\n---\n\n{u}",
                "{t}\n\n{u}",
                "{tag}\nContext:\n{t}\n\nTask: {u}",
                "{tag} Here is some code.\n\n{t}\n\n{u}",
                "{t}\n\n---\n{tag} {u}",
                "{tag}\n{t}\n\nIgnore the text above unless the task needs it.\n\n{u}",
            ]
        )
        parts = {"tag": self.tag(), "t": text, "u": user}
        # Not str.format: the text may hold braces.
        return re.sub(r"\{(tag|t|u)\}", lambda m: parts[m.group(1)], layout)
