"""Tool calls."""

import json

from demo_model.chats.vocabulary import CITIES, DAYS, FIELDS, ITEMS, LABELS, NAMES


class ToolTask:
    """Calls of made-up tools, and answers from their results."""

    def task_tool(self):
        """A tool call, or the answer that follows from its result."""
        rng, pick = self.rng, self.pick
        city, n = pick(CITIES), rng.randint(1, 9)
        defs = {
            "get_weather": (
                "Get the weather for a city",
                {"city": "string"},
                lambda: (
                    [
                        f"What is the weather in {city}?",
                        f"Is it cold in {city} today?",
                        f"Weather for {city}, please.",
                    ],
                    {"city": city},
                    {
                        "city": city,
                        "temperature": rng.randint(-10, 38),
                        "sky": pick(["clear", "cloudy", "rain", "snow"]),
                    },
                ),
            ),
            "search_files": (
                "Search files for a text",
                {"query": "string", "limit": "integer"},
                lambda: (
                    lambda q: (
                        [f"Find {n} files that mention {q}.", f"Search for {q} and show {n} results."],
                        {"query": q, "limit": n},
                        {"matches": [f"src/{q}_{i}.py" for i in range(min(n, 3))]},
                    )
                )(pick(FIELDS)),
            ),
            "add_numbers": (
                "Add two numbers",
                {"a": "number", "b": "number"},
                lambda: (
                    lambda a, b: (
                        [
                            f"Use the tool to add {a} and {b}.",
                            f"What is the sum of {a} and {b}? Use the tool.",
                        ],
                        {"a": a, "b": b},
                        {"sum": a + b},
                    )
                )(rng.randint(1, 999), rng.randint(1, 999)),
            ),
            "send_message": (
                "Send a message to a person",
                {"to": "string", "text": "string"},
                lambda: (
                    lambda p, t: (
                        [f"Tell {p} that {t}.", f"Send {p} this message: {t}"],
                        {"to": p, "text": t},
                        {"ok": True, "id": rng.randint(100, 999)},
                    )
                )(
                    pick(NAMES),
                    pick(["the meeting is moved to ", "the report is due on ", "we leave on "]) + pick(DAYS),
                ),
            ),
            "get_time": (
                "Get the local time of a city",
                {"city": "string"},
                lambda: (
                    [f"What time is it in {city}?", f"Tell me the local time in {city}."],
                    {"city": city},
                    {"city": city, "time": f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}"},
                ),
            ),
            "read_file": (
                "Read a file",
                {"path": "string"},
                lambda: (
                    lambda p: (
                        [f"Show me the content of {p}.", f"Open {p} and read it."],
                        {"path": p},
                        {"content": f"{pick(FIELDS)}={rng.randint(1, 99)}"},
                    )
                )(f"{pick(LABELS)}/{pick(ITEMS)}.{pick(['txt', 'json', 'csv', 'md'])}"),
            ),
        }
        names = rng.sample(list(defs), rng.randint(1, 4))
        tools = [
            {
                "type": "function",
                "function": {
                    "name": x,
                    "description": defs[x][0],
                    "parameters": {
                        "type": "object",
                        "properties": {k: {"type": v} for k, v in defs[x][1].items()},
                        "required": list(defs[x][1]),
                    },
                },
            }
            for x in names
        ]
        x = pick(names)
        qs, args, res = defs[x][2]()
        q = pick(qs)
        call = "<tool_call>\n" + json.dumps({"name": x, "arguments": args}) + "\n</tool_call>"
        if rng.random() < 0.6:
            return dict(
                user=q, answer=call, goal="a tool call", plan=f"The tool {x} fits.", tools=tools, noctx=True
            )
        vals = "; ".join(
            f"{k}: {', '.join(map(str, v)) if isinstance(v, list) else v}" for k, v in res.items()
        )
        ans = pick(
            [
                f"The tool `{x}` returned: {vals}.",
                f"Here is the result: {vals}.",
                f"I called `{x}`. {vals[0].upper() + vals[1:]}.",
            ]
        )
        hist = [("user", q), ("assistant", call), ("tool", json.dumps(res))]
        return dict(
            user=q,
            answer=ans,
            goal="an answer from the tool result",
            plan="I report the values.",
            tools=tools,
            history=hist,
            noctx=True,
        )
