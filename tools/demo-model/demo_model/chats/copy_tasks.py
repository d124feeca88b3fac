"""Tasks that copy text exactly."""

import re

from demo_model.chats.code_templates import camel_case
from demo_model.chats.vocabulary import CITIES, FIELDS, JOBS, LABELS, NAMES, SURNAMES


class CopyTasks:
    """Copies of whole blocks and of a marked block in a long context."""

    def noise_block(self, n):
        """lines that can only be copied: ids, hex, numbers, random words"""
        rng, pick = self.rng, self.pick
        k = rng.randint(0, 4)
        out = []
        for i in range(n):
            if k == 0:
                out.append(" ".join(self.pick(self.words)[0] for _ in range(rng.randint(3, 9))))
            elif k == 1:
                out.append(f"{pick(FIELDS)}_{pick(LABELS)} = {rng.randint(0, 99999)}")
            elif k == 2:
                out.append(
                    f"{i + 1:03d} "
                    + "".join(pick("0123456789abcdef") for _ in range(rng.choice([8, 12, 16])))
                )
            elif k == 3:
                out.append(
                    f"{pick(NAMES)} {pick(SURNAMES)};{rng.randint(18, 90)};{pick(CITIES)};{pick(JOBS)}"
                )
            else:
                out.append(
                    f'const {camel_case(pick(FIELDS) + "_" + pick(LABELS))}{rng.randint(1, 99)} = {pick(["foo", "load", "get", "make", "find"])}{pick(LABELS).capitalize()}({rng.randint(0, 999)}, "{pick(CITIES).lower()}");'
                )
        return "\n".join(out)

    def repetition_block(self, tokens):
        """lines that repeat with small changes, in random order: only long matches tell where the copy stands (training only)"""
        rng, pick = self.rng, self.pick
        base = [
            line
            for line in (
                self.source_text(rng, rng.randint(40, 200), pick(["code", "prose"]))
                if rng.random() < 0.7
                else self.noise_block(rng.randint(2, 8))
            ).split("\n")
            if line.strip()
        ][: rng.randint(2, 14)]
        if not base:
            return None
        out, n, i = [], 0, 0
        run = rng.random() < 0.5
        while n < tokens:
            line = base[i % len(base)] if run else pick(base)
            i += 1
            if rng.random() < 0.6:
                parts = re.findall(r"[A-Za-z]+|\d+|\s+|[^A-Za-z\d\s]+", line)
                word_indexes = [j for j, w in enumerate(parts) if w.isalnum()]
                for j in rng.sample(word_indexes, min(len(word_indexes), rng.choice([1, 1, 2]))):
                    parts[j] = (
                        str(rng.randint(0, 10 ** len(parts[j])))
                        if parts[j].isdigit() and len(parts[j]) < 7
                        else pick(
                            [
                                pick(self.words)[0],
                                pick(NAMES),
                                pick(FIELDS),
                                pick(LABELS).capitalize(),
                                parts[j] + str(rng.randint(1, 9)),
                            ]
                        )
                    )
                line = "".join(parts)
            out.append(line)
            n += max(1, len(line) // 3)
        return "\n".join(out).strip("\n")

    def block(self, tokens, kind=None):
        """A block to copy: (text, language of its fence), or None when the draw cannot be used."""
        rng = self.rng
        k = rng.random()
        if k < self.settings.noise:
            return self.noise_block(max(2, tokens // 18)), "text"
        if k < self.settings.repetition and not self.heldout:
            t = self.repetition_block(tokens)
            return (t, "") if t and "```" not in t else None
        if k < self.settings.functions:
            out, n = [], 0
            language = self.pick(["python", "typescript"])
            while n < tokens:
                t, d, lg, code, request, ex = self.random_function(language)
                out.append(code)
                n += len(code) // 3
            return "\n\n".join(out), language
        kind_of_text = kind or ("code" if k < self.settings.code_share else "prose")
        t = self.source_text(rng, tokens, kind_of_text).strip("\n")
        t = "\n".join(line.rstrip() for line in t.split("\n"))
        if len(t) < 10 or "```" in t:
            return None
        return t, ""

    def task_copy(self, tokens=None):
        """The block that the prompt holds, unchanged."""
        rng, pick = self.rng, self.pick
        if tokens is None:
            tokens = int(min(1100, max(12, rng.lognormvariate(5.0, 1.0))))
        b = self.block(tokens)
        if b is None:
            return None
        t, language = b
        fence = rng.random() < 0.6
        what = (
            pick(["code", "text", "block", "lines"])
            if not language or language == "text"
            else pick(["code", "block", "function"])
        )
        source = f"```{language}\n{t}\n```" if fence else t
        user = (
            pick(
                [
                    "Repeat the following {w} exactly:\n\n{s}",
                    "Copy this {w} without any change:\n\n{s}",
                    "{s}\n\nRepeat the {w} above exactly.",
                    "{s}\n\nOutput the {w} above again, character by character.",
                    "Echo this {w}:\n\n{s}",
                    "Please reproduce the {w} below exactly as it is.\n\n{s}",
                    "Return the following {w} unchanged:\n\n{s}",
                    "{s}\n\nWrite the same {w} again, unchanged.",
                ]
            )
            .replace("{w}", what)
            .replace("{s}", source)
        )
        a = (
            f"Here is the {what}:\n\n{source}"
            if self.settings.lead and rng.random() < self.settings.lead
            else source
        )
        if not fence:
            a = a.lstrip()
            if source.lstrip() != source:
                user = user.replace(source, source.lstrip())
        return dict(user=user, answer=a, goal="an exact copy", plan="I repeat every line and change nothing.")

    def task_copymark(self, total=None, block_tokens=None):
        """copy one marked block out of a long context"""
        rng, pick = self.rng, self.pick
        tokens = block_tokens or int(min(800, max(20, rng.lognormvariate(5.2, 0.8))))
        b = self.block(tokens)
        if b is None:
            return None
        t, language = b
        tag = pick(["BLOCK", "SECTION", "PART", "SNIPPET", "REGION"]) + "-" + str(rng.randint(1, 99))
        total = total or int(min(6800, max(100, rng.lognormvariate(6.6, 1.0))))
        before = int(total * rng.random())
        A = (
            self.source_text(rng, max(20, before), self.pick(["code", "prose"]))
            .strip("\n")
            .replace("```", "'''")
        )
        B = (
            self.source_text(rng, max(20, total - before), self.pick(["code", "prose"]))
            .strip("\n")
            .replace("```", "'''")
        )
        fm = pick(
            [
                ("<<<{t}>>>", "<<<end {t}>>>"),
                ("### begin {t}", "### end {t}"),
                ("[{t}]", "[/{t}]"),
                ("// {t} start", "// {t} end"),
            ]
        )
        o, e = fm[0].format(t=tag), fm[1].format(t=tag)
        user = f"{A}\n\n{o}\n{t}\n{e}\n\n{B}\n\n" + pick(
            [
                f'Repeat the lines between "{o}" and "{e}" exactly.',
                f"Copy {tag} from the text above without any change.",
                f"Output only the content of {tag}, unchanged.",
            ]
        )
        a = f"```{language}\n{t}\n```"
        return dict(
            user=user,
            answer=a,
            goal=f"a copy of {tag}",
            plan="I find the marker and repeat the lines after it.",
            noctx=True,
        )
