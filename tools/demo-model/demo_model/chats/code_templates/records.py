"""Templates of functions on records and nested data."""

from demo_model.chats.code_templates.define import choices, template
from demo_model.chats.vocabulary import FIELDS, LABELS

TEMPLATES = [
    template(
        "group_by",
        ["groups records by their $l", "collects $xs by $l", "builds a map from $l to the matching records"],
        choices(
            f=["group_by", "group_records", "bucket_by", "collect_by", "by_key"],
            xs=["rows", "records", "items", "entries", "events"],
            l=LABELS,
            g=["groups", "out", "buckets", "result", "index"],
            x=["row", "rec", "item", "r"],
        ),
        [
            (
                "def $f($xs):\n"
                "    $g = {}\n"
                "    for $x in $xs:\n"
                '        $g.setdefault($x["$l"], []).append($x)\n'
                "    return $g"
            ),
            (
                "from collections import defaultdict\n\n\n"
                "def $f($xs):\n"
                "    $g = defaultdict(list)\n"
                "    for $x in $xs:\n"
                '        $g[$x["$l"]].append($x)\n'
                "    return dict($g)"
            ),
        ],
        [
            (
                "function $f<T extends { $l: string }>($xs: T[]): Record<string, T[]> {\n"
                "  const $g: Record<string, T[]> = {};\n"
                "  for (const $x of $xs) {\n"
                "    ($g[$x.$l] ??= []).push($x);\n"
                "  }\n"
                "  return $g;\n"
                "}"
            )
        ],
        [
            "Each key of the result is one $l.",
            "The records keep their order inside each group.",
            "A record without a $l raises an error in Python.",
        ],
    ),
    template(
        "transpose",
        ["transposes a matrix", "swaps the rows and columns of a matrix", "returns the transposed table"],
        choices(
            f=["transpose", "transposed", "swap_axes", "flip_matrix"],
            m=["matrix", "rows", "grid", "table", "m"],
        ),
        [
            "def $f($m):\n    return [list(col) for col in zip(*$m)]",
            (
                "def $f($m):\n"
                "    out = []\n"
                "    for j in range(len($m[0])):\n"
                "        out.append([row[j] for row in $m])\n"
                "    return out"
            ),
        ],
        ["function $f<T>($m: T[][]): T[][] {\n  return $m[0].map((_, j) => $m.map((row) => row[j]));\n}"],
        [
            "The first column becomes the first row.",
            "All rows must have the same length.",
            "The input matrix is not modified.",
        ],
    ),
    template(
        "pick_max",
        [
            "returns the record with the $w $fl",
            "finds the row that has the $w $fl",
            "picks the entry whose $fl is $w",
        ],
        lambda rng: dict(
            zip(
                ("w", "fn", "op"),
                rng.choice(
                    [
                        ("largest", "max", ">"),
                        ("smallest", "min", "<"),
                        ("highest", "max", ">"),
                        ("lowest", "min", "<"),
                    ]
                ),
            ),
            f=rng.choice(["pick_best", "find_record", "best_row", "select_one", "extreme"]),
            xs=rng.choice(["rows", "records", "items", "entries"]),
            fl=rng.choice(FIELDS),
        ),
        [
            'def $f($xs):\n    if not $xs:\n        return None\n    return $fn($xs, key=lambda r: r["$fl"])',
            (
                "def $f($xs):\n"
                "    best = None\n"
                "    for r in $xs:\n"
                '        if best is None or r["$fl"] $op best["$fl"]:\n'
                "            best = r\n"
                "    return best"
            ),
        ],
        [
            (
                "function $f<T extends { $fl: number }>($xs: T[]): T | undefined {\n"
                "  let best: T | undefined;\n"
                "  for (const r of $xs) {\n"
                "    if (best === undefined || r.$fl $op best.$fl) best = r;\n"
                "  }\n"
                "  return best;\n"
                "}"
            )
        ],
        [
            "An empty list has no such record, so nothing is returned.",
            "If two records tie, the first one wins.",
            "Only the field `$fl` is compared.",
        ],
    ),
    template(
        "deep_get",
        [
            'reads a nested value by a path like "$p"',
            'looks up a path such as "$p" in nested data',
            "gets a nested field and falls back to a default",
        ],
        choices(
            f=["get_path", "deep_get", "lookup", "read_path", "dig"],
            o=["data", "obj", "root", "config"],
            p=["a.b.c", "user.address.city", "server.port", "meta.tags.first", "x.y"],
        ),
        [
            (
                "def $f($o, path, default=None):\n"
                '    for key in path.split("."):\n'
                "        if not isinstance($o, dict) or key not in $o:\n"
                "            return default\n"
                "        $o = $o[key]\n"
                "    return $o"
            )
        ],
        [
            (
                "function $f($o: any, path: string, fallback?: unknown): unknown {\n"
                '  for (const key of path.split(".")) {\n'
                "    if ($o == null || !(key in $o)) return fallback;\n"
                "    $o = $o[key];\n"
                "  }\n"
                "  return $o;\n"
                "}"
            )
        ],
        [
            "The path is split at the dots.",
            "When a part is missing, the default is returned.",
            'For example, "$p" is followed step by step.',
        ],
    ),
]
