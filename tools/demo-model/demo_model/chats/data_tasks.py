"""Tasks with structured data."""

import json
import re

from demo_model.chats.vocabulary import (
    ADJECTIVES,
    ANIMALS,
    CITIES,
    COLORS,
    FIELDS,
    FRUITS,
    ITEMS,
    JOBS,
    LABELS,
    MONTHS,
    NAMES,
    PRODUCTS,
    SURNAMES,
    THINGS,
)


class DataTasks:
    """Extraction, conversion, look-up, change of form."""

    def random_person(self):
        """A made-up record of a person and an order."""
        pick, rng = self.pick, self.rng
        return dict(
            name=f"{pick(NAMES)} {pick(SURNAMES)}",
            age=rng.randint(18, 80),
            city=pick(CITIES),
            job=pick(JOBS),
            product=pick(PRODUCTS),
            price=rng.randint(5, 900),
            quantity=rng.randint(1, 40),
            date=f"{pick(MONTHS)} {rng.randint(1, 28)}",
            email=f"{pick(NAMES).lower()}.{pick(SURNAMES).lower()}@example.{pick(['com', 'org', 'net'])}",
            order=f"{pick('ABCDEFGH')}{rng.randint(100, 9999)}",
            status=pick(["open", "closed", "paid", "shipped", "pending", "failed"]),
        )

    def task_extract(self):
        """Fields of a sentence as JSON."""
        pick, rng = self.pick, self.rng
        p = self.random_person()
        forms = [
            (
                "{name} is {age} years old, lives in {city} and works as a {job}.",
                ["name", "age", "city", "job"],
            ),
            (
                "On {date}, {name} from {city} ordered {quantity} pieces of the {product} for {price} dollars.",
                ["date", "name", "city", "quantity", "product", "price"],
            ),
            (
                "Order {order} for {name} is {status}; it was placed on {date}.",
                ["order", "name", "status", "date"],
            ),
            ("Please contact {name} ({email}) about the {product}.", ["name", "email", "product"]),
            (
                "The {product} costs {price} dollars and {name} bought {quantity} of them in {city}.",
                ["product", "price", "name", "quantity", "city"],
            ),
            (
                "My name is {name}, I am a {job}, {age}, and my mail is {email}.",
                ["name", "job", "age", "email"],
            ),
        ]
        f, keys = pick(forms)
        s = f.format(**p)
        before = pick(
            [
                "",
                "",
                "",
                f"This is ticket {rng.randint(100, 999)}. ",
                "Good morning. ",
                f"It was a {pick(ADJECTIVES)} day in {pick(MONTHS)}. ",
            ]
        )
        ks = rng.sample(keys, rng.randint(2, len(keys)))
        user = pick(
            [
                "Extract {k} from this sentence as JSON: {s}",
                "Return a JSON object with the keys {k}.\n\nText: {s}",
                "{s}\n\nExtract the following fields as JSON: {k}.",
                'Read the sentence and fill in JSON with {k}. Sentence: "{s}"',
            ]
        ).format(k=", ".join(ks), s=before + s)
        o = {k: p[k] for k in ks}
        j = json.dumps(o, indent=2) if rng.random() < 0.6 else json.dumps(o)
        a = pick(["```json\n{j}\n```", "{j}", "Here is the JSON:\n\n```json\n{j}\n```"]).replace("{j}", j)
        return dict(
            user=user,
            answer=a,
            goal="JSON with " + ", ".join(ks),
            plan="I copy the values from the sentence.",
        )

    def task_table(self):
        """Records from one form (CSV, Markdown, JSON, list) into another."""
        pick, rng = self.pick, self.rng
        columns = rng.sample(
            ["name", "age", "city", "job", "product", "price", "quantity", "status", "order"],
            rng.randint(2, 5),
        )
        rows = [self.random_person() for _ in range(rng.randint(2, 9))]
        data = [[str(p[k]) for k in columns] for p in rows]
        writers = {
            "CSV": lambda: "\n".join([",".join(columns)] + [",".join(x) for x in data]),
            "a markdown table": lambda: "\n".join(
                ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
                + ["| " + " | ".join(x) + " |" for x in data]
            ),
            "JSON": lambda: json.dumps(
                [dict(zip(columns, [p[k] for k in columns])) for p in rows], indent=rng.choice([None, 2])
            ),
            "a bullet list": lambda: "\n".join(
                "- " + ", ".join(f"{k}: {v}" for k, v in zip(columns, x)) for x in data
            ),
        }
        a, b = rng.sample(list(writers), 2)
        source, result = writers[a](), writers[b]()
        user = pick(
            [
                "Convert this {a} to {b}:\n\n{s}",
                "{s}\n\nTurn the {a} above into {b}.",
                "Here is some data ({a}). Write it as {b}.\n\n{s}",
            ]
        ).format(a=a.replace("a ", ""), b=b, s=source)
        ans = result if b in ("a markdown table", "a bullet list") else f"```{b.lower()}\n{result}\n```"
        return dict(
            user=user,
            answer=ans,
            goal=b,
            plan=f"There are {len(rows)} records with {len(columns)} fields. I keep their order.",
        )

    def task_lookup(self):
        """Values of keys in a list of settings."""
        pick, rng = self.pick, self.rng
        n = rng.randint(4, 40)
        keys = set()
        while len(keys) < n:
            keys.add(
                pick(FIELDS)
                + pick(["_", ".", "-"])
                + pick(LABELS + ITEMS)
                + (str(rng.randint(1, 99)) if rng.random() < 0.4 else "")
            )
        kv = [
            (
                k,
                pick(
                    [
                        str(rng.randint(1, 99999)),
                        pick(CITIES).lower(),
                        pick(COLORS),
                        f"{rng.randint(1, 99)}ms",
                        f"{pick(NAMES).lower()}{rng.randint(1, 99)}",
                        "".join(pick("0123456789abcdef") for _ in range(8)),
                    ]
                ),
            )
            for k in sorted(sorted(keys), key=lambda _: rng.random())
        ]
        sep = pick([": ", " = ", "=", " -> "])
        source = "\n".join(k + sep + v for k, v in kv)
        m = 1 if rng.random() < 0.6 else rng.randint(2, min(5, n))
        q = rng.sample(kv, m)
        if m == 1:
            user = pick(
                [
                    "{s}\n\nWhat is the value of {k}?",
                    "Config:\n{s}\n\nWhich value does {k} have?",
                    "Look up {k} in this list.\n\n{s}",
                ]
            ).format(s=source, k=q[0][0])
            a = pick(["The value of `{k}` is `{v}`.", "{v}", "`{k}` is set to `{v}` in the list."]).format(
                k=q[0][0], v=q[0][1]
            )
        else:
            user = pick(["{s}\n\nWhat are the values of {k}?", "Look up these keys: {k}\n\n{s}"]).format(
                s=source, k=", ".join(x[0] for x in q)
            )
            a = "\n".join(f"- {x[0]}: {x[1]}" for x in q)
        return dict(
            user=user,
            answer=a,
            goal="a value from the list",
            plan="I find the line of the key and copy its value.",
        )

    def task_case(self):
        """Text in another case; lists reversed, sorted or numbered."""
        pick, rng = self.pick, self.rng
        k = rng.random()
        if k < 0.75:
            w = self.word()
            t = w[3] or w[2]
            if rng.random() < 0.35:
                t = re.sub(r"\s+", " ", self.source_text(rng, rng.randint(20, 70), "prose")).strip()
            op, nm = pick(
                [
                    (str.upper, "upper case"),
                    (str.lower, "lower case"),
                    (str.title, "title case"),
                    (str.upper, "capital letters"),
                ]
            )
            if rng.random() < 0.3:
                t = t.upper() if nm == "lower case" else t
            user = pick(
                [
                    "Rewrite in {n}: {t}",
                    "Convert to {n}:\n\n{t}",
                    'Write this text in {n}: "{t}"',
                    "{t}\n\nPut the text above in {n}.",
                ]
            ).format(n=nm, t=t)
            a = op(t)
        else:
            items = rng.sample(
                pick([FRUITS, CITIES, NAMES, THINGS, ANIMALS, JOBS, PRODUCTS]), rng.randint(3, 9)
            )
            o = rng.randint(0, 3)
            form = [
                "Reverse the order of this list: {l}",
                "Sort this list alphabetically: {l}",
                "Number the items: {l}",
                "Make a bullet list of: {l}",
            ][o]
            user = form.format(l=", ".join(items))
            if o == 0:
                a = ", ".join(items[::-1])
            elif o == 1:
                a = ", ".join(sorted(items))
            elif o == 2:
                a = "\n".join(f"{i + 1}. {x}" for i, x in enumerate(items))
            else:
                a = "\n".join("- " + x for x in items)
        return dict(
            user=user,
            answer=a,
            goal="the rewritten text",
            plan="I keep the words and change only their form.",
        )
