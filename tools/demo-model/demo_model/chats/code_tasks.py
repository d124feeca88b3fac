"""Tasks with code."""

import re

from demo_model.chats.code_templates import TEMPLATES, camel_case, substitute
from demo_model.chats.table_function import table_function


class CodeTasks:
    """Short functions: written, explained, renamed, found."""

    def random_function(self, language=None):
        """A function from a random template: (template, parameters, language, code, request, explanations)."""
        rng = self.rng
        t = self.pick(TEMPLATES)
        language = language or self.pick(["python", "typescript"])
        d = t["parameters"](rng)
        for _ in range(3):
            d = {k: substitute(v, d) if isinstance(v, str) else v for k, v in d.items()}
        if language == "typescript" and "f" in d:
            d["f"] = camel_case(d["f"])
            for k in ("xs", "a", "b", "n", "v", "s"):
                if isinstance(d.get(k), str) and re.fullmatch(r"[a-z_]+", d[k]):
                    d[k] = camel_case(d[k])
        code = substitute(self.pick(t["python"] if language == "python" else t["typescript"]), d)
        request = substitute(self.pick(t["requests"]), d)
        ex = [substitute(e, d) for e in t["explanations"]]
        return t, d, language, code, request, ex

    def task_code(self):
        """A short function, with a few sentences about it."""
        rng, pick = self.rng, self.pick
        t, d, language, code, request, ex = self.random_function()
        L = {"python": "Python", "typescript": "TypeScript"}[language]
        f = d.get("f", d.get("C", "it"))
        user = pick(
            [
                "Write a {L} function that {q}.",
                "Write a function in {L} named `{f}` that {q}.",
                "In {L}: a function `{f}` that {q}.",
                "Please implement `{f}` in {L}. It {q}.",
                "I need {L} code that {q}. Call it {f}.",
                "Show me a short {L} function `{f}` which {q}, with a short explanation.",
            ]
        ).format(L=L, f=f, q=request)
        if t["key"] == "stack":
            user = user.replace("function", "class")
        k = rng.randint(*self.settings.explanations)
        e = ex[:]
        rng.shuffle(e)
        e = " ".join(e[:k])
        lead = pick(
            [
                "",
                "",
                "Here is the function:\n\n",
                f"Here is a {L} version:\n\n",
                f"You can write `{f}` like this:\n\n",
            ]
        )
        a = f"{lead}```{language}\n{code}\n```" + (f"\n\n{e}" if e else "")
        return dict(
            user=user, answer=a, goal=f"a {L} function", plan=f"The name is {f}. " + (ex[0] if ex else "")
        )

    def task_explain(self):
        """What a short function does."""
        rng, pick = self.rng, self.pick
        t, d, language, code, request, ex = self.random_function()
        f = d.get("f", d.get("C", "it"))
        user = (
            pick(
                [
                    "What does this code do?\n\n```{l}\n{code}\n```",
                    "Explain this function:\n\n```{l}\n{code}\n```",
                    "```{l}\n{code}\n```\n\nExplain the code above in a few sentences.",
                    "Describe `{f}`:\n\n```{l}\n{code}\n```",
                ]
            )
            .replace("{l}", language)
            .replace("{code}", code)
            .replace("{f}", f)
        )
        if t["key"] == "stack":
            first = f"The class `{f}` {request}."
        else:
            first = pick(
                [
                    f"The function `{f}` {request}.",
                    f"This code defines `{f}`, which {request}.",
                    f"`{f}` {request}.",
                ]
            )
        e = ex[:]
        if rng.random() < 0.4:
            a = first + "\n\n" + "\n".join("- " + x for x in e)
        else:
            rng.shuffle(e)
            a = first + " " + " ".join(e)
        return dict(user=user, answer=a, goal="an explanation", plan=f"I look at what {f} returns.")

    def task_rename(self):
        """A function with one of its names replaced."""
        pick = self.pick
        t, d, language, code, request, ex = self.random_function()
        ids = [
            x
            for x in set(re.findall(r"\b[a-z_][A-Za-z_0-9]*\b", code))
            if any(x == v for v in d.values() if isinstance(v, str))
        ]
        if not ids:
            return None
        old = pick(sorted(ids))
        new = pick(
            [
                "value",
                "items",
                "result",
                "data",
                "node",
                "input",
                "buffer",
                "output",
                "alpha",
                "beta",
                "cursor",
                "entry",
                "payload",
                "handler",
                "process",
                "compute",
                "source",
                "answer",
            ]
        )
        if re.search(rf"\b{new}\b", code) or old == new:
            return None
        code2 = re.sub(rf"\b{old}\b", new, code)
        user = (
            pick(
                [
                    "Rename `{o}` to `{n}` in this code:\n\n```{l}\n{code}\n```",
                    "```{l}\n{code}\n```\n\nRewrite the code with `{n}` instead of `{o}`.",
                    "Replace the name {o} by {n}:\n\n```{l}\n{code}\n```",
                ]
            )
            .replace("{o}", old)
            .replace("{n}", new)
            .replace("{l}", language)
            .replace("{code}", code)
        )
        a = f"```{language}\n{code2}\n```" + pick(["", f"\n\nEvery `{old}` is now called `{new}`."])
        return dict(
            user=user, answer=a, goal="renamed code", plan=f"{old} becomes {new}, the rest stays the same."
        )

    def task_mdtable(self):
        """A function that returns a Markdown table of statistics by group."""
        rng, pick = self.rng, self.pick
        request, code, ex, language, f, fl, label, words = table_function(rng)
        L = {"python": "Python", "typescript": "TypeScript"}[language]
        user = pick(
            [
                "Read the code above, then write a short {L} function that returns a markdown table of {q}.",
                "Using the code above as a style guide, write a {L} function that returns a markdown table with {q}.",
                "Write a short {L} function that returns a markdown table with {q}.",
                "Write a {L} function `{f}` that builds a markdown table: {q}.",
                "Task: a {L} function returning a markdown table of {q}. Answer with the code and one sentence.",
                "Read the code above. Write a short function ({L}) that returns a markdown table of {q}.",
            ]
        ).format(L=L, q=request, f=f)
        k = rng.random()
        a = code + ("\n\n" + ex if k < 0.6 else "")
        if k > 0.85:
            a = "Here is the function:\n\n" + a
        return dict(
            user=user,
            answer=a,
            goal="a function that returns a markdown table",
            plan=f"Group {fl} by {label}, then print {words} for each group.",
        )

    def task_funcs(self):
        """Names of functions and classes in a real file."""
        rng, pick = self.rng, self.pick
        t = self.source_text(rng, rng.randint(200, 1500), "code")
        names = re.findall(
            r"^[ \t]*(?:export )?(?:async )?(?:def|function|class) +([A-Za-z_$][\w$]*)", t, flags=re.M
        )
        seen = list(dict.fromkeys(names))
        if not seen or len(seen) > 40:
            return None
        o = rng.random()
        if o < 0.35:
            user = pick(
                [
                    "{t}\n\nList the functions and classes defined in the code above.",
                    "Which functions and classes does this code define?\n\n{t}",
                    "{t}\n\nName all functions and classes in this file.",
                ]
            )
            a = pick(["The code defines:\n\n", "", ""]) + "\n".join(f"- `{x}`" for x in seen)
        elif o < 0.6:
            user = pick(
                [
                    "{t}\n\nWhat is the first function or class in the code above?",
                    "Find the first function or class defined here:\n\n{t}",
                ]
            )
            a = pick([f"The first definition is `{seen[0]}`.", f"`{seen[0]}`"])
        elif o < 0.8:
            user = pick(
                [
                    "{t}\n\nWhat is the last function or class in the code above?",
                    "Find the last function or class defined here:\n\n{t}",
                ]
            )
            a = pick([f"The last definition is `{seen[-1]}`.", f"`{seen[-1]}`"])
        else:
            x = pick(seen)
            m = re.search(
                rf"^[ \t]*(?:export )?(?:async )?(?:def|function|class) +{re.escape(x)}.*$", t, flags=re.M
            )
            user = pick(
                [
                    f"{{t}}\n\nShow the line that defines `{x}`.",
                    f"Quote the line where {x} is defined:\n\n{{t}}",
                ]
            )
            a = f"```\n{m.group(0).strip()}\n```"
        user = user.replace("{t}", "```\n" + t.strip("\n") + "\n```")
        return dict(
            user=user,
            answer=a,
            goal="names from the code",
            plan="I scan the lines that start with def, function or class.",
        )
