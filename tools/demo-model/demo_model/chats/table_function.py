"""Functions that return a Markdown table of statistics by group."""

from demo_model.chats.code_templates import camel_case
from demo_model.chats.vocabulary import FIELDS, LABELS

STATS = {
    "median": ("median(v)", "median(v)"),
    "min": ("min(v)", "Math.min(...v)"),
    "max": ("max(v)", "Math.max(...v)"),
    "mean": ("sum(v) / len(v)", "v.reduce((a, b) => a + b, 0) / v.length"),
    "count": ("len(v)", "v.length"),
    "sum": ("sum(v)", "v.reduce((a, b) => a + b, 0)"),
}


def table_function(rng, language=None):
    """'markdown table of the median, min and max of a field per label' -> (request, code, explanation)."""
    field, label = rng.choice(FIELDS), rng.choice(LABELS)
    k = rng.choice([3, 3, 3, 2, 4])
    statistics = ["median", "min", "max"] if rng.random() < 0.5 else rng.sample(list(STATS), k)
    records, record, groups = (
        rng.choice(["rows", "records", "items", "entries", "samples", "results"]),
        rng.choice(["row", "r", "rec", "item"]),
        rng.choice(["groups", "by_" + label, "buckets", "grouped"]),
    )
    name = rng.choice(
        [
            "summary_table",
            "stats_table",
            "markdown_table",
            "table_by_" + label,
            field + "_table",
            "summarize",
            "report_table",
            "to_markdown",
            field + "_by_" + label,
        ]
    )
    language = language or rng.choice(["python", "typescript"])
    words = statistics[0] if len(statistics) == 1 else ", ".join(statistics[:-1]) + " and " + statistics[-1]
    request = rng.choice(
        [
            "the {w} of {f} per {l}",
            "the {w} of the field `{f}` for each {l}",
            "the {w} of `{f}` per `{l}`",
            "per {l}: the {w} of {f}",
            "{w} of {f}, one row per {l}",
        ]
    ).format(w=words, f=field, l=label)
    decimals = rng.choice([1, 2, 2, 3])
    if language == "python":
        lines = []
        if "median" in statistics:
            lines += ["from statistics import median", "", ""]
        lines += [f"def {name}({records}):"]
        if rng.random() < 0.4:
            lines += [f'    """Markdown table of {words} of {field} per {label}."""']
        lines += [
            f"    {groups} = {{}}",
            f"    for {record} in {records}:",
            f'        {groups}.setdefault({record}["{label}"], []).append({record}["{field}"])',
            '    lines = ["| '
            + " | ".join([label] + statistics)
            + ' |", "|'
            + " --- |" * (len(statistics) + 1)
            + '"]',
            f"    for key, v in sorted({groups}.items()):",
        ]
        cells = []
        for statistic in statistics:
            expression = STATS[statistic][0]
            cells.append(
                "{" + expression + (f":.{decimals}f" if statistic in ("mean", "median") else "") + "}"
            )
        lines += [
            '        lines.append(f"| {key} | ' + " | ".join(cells) + ' |")',
            '    return "\\n".join(lines)',
        ]
        code = "```python\n" + "\n".join(lines) + "\n```"
    else:
        name, groups = camel_case(name), camel_case(groups)
        lines = [f"type Row = {{ {label}: string; {field}: number }};", ""]
        if "median" in statistics:
            lines += [
                "const median = (v: number[]): number => {",
                "  const s = [...v].sort((a, b) => a - b);",
                "  const m = s.length >> 1;",
                "  return s.length % 2 ? s[m] : (s[m - 1] + s[m]) / 2;",
                "};",
                "",
            ]
        lines += [
            f"export function {name}({records}: Row[]): string {{",
            f"  const {groups} = new Map<string, number[]>();",
            f"  for (const {record} of {records}) {{",
            f"    const v = {groups}.get({record}.{label}) ?? [];",
            f"    v.push({record}.{field});",
            f"    {groups}.set({record}.{label}, v);",
            "  }",
            '  const lines = ["| '
            + " | ".join([label] + statistics)
            + ' |", "|'
            + " --- |" * (len(statistics) + 1)
            + '"];',
            f"  for (const [key, v] of {groups}) {{",
        ]
        cells = []
        for statistic in statistics:
            expression = STATS[statistic][1]
            cells.append(
                "${"
                + (
                    "(" + expression + f").toFixed({decimals})"
                    if statistic == "mean"
                    else expression + (f".toFixed({decimals})" if statistic == "median" else "")
                )
                + "}"
            )
        lines += [
            "    lines.push(`| ${key} | " + " | ".join(cells) + " |`);",
            "  }",
            '  return lines.join("\\n");',
            "}",
        ]
        code = "```typescript\n" + "\n".join(lines) + "\n```"
    explanation = rng.choice(
        [
            f"The function first collects the `{field}` values of every `{label}`, then it writes one table row per {label} with the {words}.",
            f"It groups the {records} by `{label}` and prints {words} of `{field}` for each group as a markdown row.",
            f"`{name}` takes the {records}, groups them by {label} and returns the finished markdown table as one string.",
        ]
    )
    return request, code, explanation, language, name, field, label, words
