"""Templates of functions that write or read fields of text."""

from demo_model.chats.code_templates.define import TEXTS, choices, template
from demo_model.chats.vocabulary import LABELS

TEMPLATES = [
    template(
        "slug",
        [
            "makes a slug from a title",
            "turns a heading into a URL slug",
            "creates a lower-case slug with $d between the words",
        ],
        lambda rng: dict(
            zip(("d", "c"), rng.choice([("dashes", "-"), ("underscores", "_"), ("dots", ".")])),
            f=rng.choice(["slugify", "make_slug", "to_slug", "slug"]),
            s=rng.choice(["title", "heading", "text", "name"]),
        ),
        [
            (
                "import re\n\n\n"
                "def $f($s):\n"
                "    $s = $s.lower().strip()\n"
                '    return re.sub(r"[^a-z0-9]+", "$c", $s).strip("$c")'
            )
        ],
        [
            (
                "function $f($s: string): string {\n"
                "  return $s\n"
                "    .toLowerCase()\n"
                '    .replace(/[^a-z0-9]+/g, "$c")\n'
                '    .replace(/^[$c]+|[$c]+$/g, "");\n'
                "}"
            )
        ],
        [
            'Everything that is not a letter or a digit becomes "$c".',
            "Leading and trailing separators are removed.",
            "The result is safe to use in a path.",
        ],
    ),
    template(
        "truncate",
        [
            "shortens a string to $k characters",
            "truncates long text after $k characters",
            "cuts text that is longer than $k characters and adds dots",
        ],
        choices(
            f=["truncate", "shorten", "cut_text", "ellipsis", "limit_text"],
            s=TEXTS,
            k=lambda rng: rng.choice([10, 12, 16, 20, 24, 30, 32, 40, 50, 60, 72, 80, 100, 120]),
        ),
        [
            (
                "def $f($s, limit=$k):\n"
                "    if len($s) <= limit:\n"
                "        return $s\n"
                '    return $s[:limit - 3].rstrip() + "..."'
            )
        ],
        [
            (
                "function $f($s: string, limit = $k): string {\n"
                "  if ($s.length <= limit) return $s;\n"
                '  return $s.slice(0, limit - 3).trimEnd() + "...";\n'
                "}"
            )
        ],
        [
            "Short text is returned as it is.",
            "The dots count toward the limit of $k characters.",
            "Trailing white space before the dots is removed.",
        ],
    ),
    template(
        "join_field",
        [
            'joins the $fl of all records with "$sep"',
            'returns every $fl in one string separated by "$sep"',
            "concatenates one field of each record",
        ],
        choices(
            f=["join_field", "join_values", "list_field", "concat", "field_string"],
            xs=["rows", "records", "items"],
            fl=LABELS,
            sep=[", ", "; ", " | ", "-", "/", " "],
        ),
        ['def $f($xs):\n    return "$sep".join(str(r["$fl"]) for r in $xs)'],
        ['function $f($xs: { $fl: string }[]): string {\n  return $xs.map((r) => r.$fl).join("$sep");\n}'],
        [
            "The values appear in the order of the records.",
            "There is no separator after the last value.",
            "An empty list gives an empty string.",
        ],
    ),
    template(
        "parse_kv",
        [
            "parses a string of $k pairs into a dictionary",
            'turns text like "a$e1$q b" into a map',
            "reads key and value pairs from a string",
        ],
        lambda rng: dict(
            zip(
                ("k", "q", "e1"),
                rng.choice([("key=value", "=", ""), ("key:value", ":", ""), ("key->value", "->", "")]),
            ),
            f=rng.choice(["parse_pairs", "parse_kv", "read_pairs", "to_map", "parse_settings"]),
            s=rng.choice(TEXTS),
            sep=rng.choice([";", ",", "&", "|"]),
            o=rng.choice(["out", "pairs", "result", "settings"]),
        ),
        [
            (
                "def $f($s):\n"
                "    $o = {}\n"
                '    for part in $s.split("$sep"):\n'
                '        if "$q" in part:\n'
                '            key, value = part.split("$q", 1)\n'
                "            $o[key.strip()] = value.strip()\n"
                "    return $o"
            )
        ],
        [
            (
                "function $f($s: string): Record<string, string> {\n"
                "  const $o: Record<string, string> = {};\n"
                '  for (const part of $s.split("$sep")) {\n'
                '    const at = part.indexOf("$q");\n'
                "    if (at < 0) continue;\n"
                '    $o[part.slice(0, at).trim()] = part.slice(at + "$q".length).trim();\n'
                "  }\n"
                "  return $o;\n"
                "}"
            )
        ],
        [
            'The pairs are separated by "$sep".',
            'Parts without "$q" are ignored.',
            "White space around keys and values is removed.",
        ],
    ),
]
