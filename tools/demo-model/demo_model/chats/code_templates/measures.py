"""Templates of functions on measured values."""

from demo_model.chats.code_templates.define import ACCUMULATORS, choices, integer, template
from demo_model.chats.vocabulary import ITEMS

TEMPLATES = [
    template(
        "clamp",
        [
            "limits a number to the range from $lo to $hi",
            "clamps a value between $lo and $hi",
            "keeps a number inside the limits $lo and $hi",
        ],
        lambda rng: dict(
            f=rng.choice(["clamp", "limit", "clip", "bound", "restrict"]),
            v=rng.choice(["value", "v", "x", "n"]),
            lo=rng.choice([0, 1, -1, -10, 5, 10]),
            hi=rng.choice([20, 50, 99, 100, 127, 255, 1000]),
        ),
        [
            "def $f($v, low=$lo, high=$hi):\n    return max(low, min(high, $v))",
            (
                "def $f($v, low=$lo, high=$hi):\n"
                "    if $v < low:\n"
                "        return low\n"
                "    if $v > high:\n"
                "        return high\n"
                "    return $v"
            ),
        ],
        [
            (
                "function $f($v: number, low = $lo, high = $hi): number {\n"
                "  return Math.max(low, Math.min(high, $v));\n"
                "}"
            )
        ],
        [
            "Values below $lo become $lo and values above $hi become $hi.",
            "Everything in between is returned unchanged.",
            "The two limits have default values.",
        ],
    ),
    template(
        "temp",
        ["converts $a to $b", "turns a temperature in $a into $b", "converts temperatures from $a to $b"],
        lambda rng: dict(
            zip(
                ("a", "b", "e", "c"),
                rng.choice(
                    [
                        ("celsius", "fahrenheit", "$v * 9 / 5 + 32", "212 for 100"),
                        ("fahrenheit", "celsius", "($v - 32) * 5 / 9", "100 for 212"),
                        ("celsius", "kelvin", "$v + 273.15", "273.15 for 0"),
                        ("kelvin", "celsius", "$v - 273.15", "0 for 273.15"),
                    ]
                ),
            ),
            f=rng.choice(["to_$b", "$a_to_$b", "convert_to_$b", "as_$b"]),
            v=rng.choice(["t", "deg", "value", "temp", "degrees"]),
        ),
        [
            "def $f($v):\n    return $e",
            'def $f($v: float) -> float:\n    """Convert $a to $b."""\n    return $e',
        ],
        [
            "function $f($v: number): number {\n  return $e;\n}",
            "export const $f = ($v: number): number => $e;",
        ],
        ["The result is a plain number.", "For example, it gives $c.", "No rounding is done."],
    ),
    template(
        "moving_avg",
        [
            "computes a moving average over $k values",
            "returns the average of each window of $k numbers",
            "smooths a series with a window of $k",
        ],
        choices(
            f=["moving_average", "rolling_mean", "smooth", "window_average", "running_mean"],
            xs=ITEMS,
            k=integer(2, 30),
            acc=ACCUMULATORS,
        ),
        [
            (
                "def $f($xs, window=$k):\n"
                "    $acc = []\n"
                "    for i in range(len($xs) - window + 1):\n"
                "        part = $xs[i:i + window]\n"
                "        $acc.append(sum(part) / window)\n"
                "    return $acc"
            )
        ],
        [
            (
                "function $f($xs: number[], window = $k): number[] {\n"
                "  const $acc: number[] = [];\n"
                "  for (let i = 0; i + window <= $xs.length; i++) {\n"
                "    const part = $xs.slice(i, i + window);\n"
                "    $acc.push(part.reduce((a, b) => a + b, 0) / window);\n"
                "  }\n"
                "  return $acc;\n"
                "}"
            )
        ],
        [
            "The result is shorter than the input by the window minus one.",
            "If there are fewer than $k values, the result is empty.",
            "Each window is averaged on its own.",
        ],
    ),
    template(
        "mean",
        ["computes the $w of a list of numbers", "returns the $w of the given numbers", "calculates the $w"],
        lambda rng: dict(
            zip(
                ("w", "bp", "bt"),
                rng.choice(
                    [
                        (
                            "mean",
                            "    return sum($xs) / len($xs)",
                            "  return $xs.reduce((a, b) => a + b, 0) / $xs.length;",
                        ),
                        (
                            "median",
                            (
                                "    s = sorted($xs)\n"
                                "    mid = len(s) // 2\n"
                                "    if len(s) % 2:\n"
                                "        return s[mid]\n"
                                "    return (s[mid - 1] + s[mid]) / 2"
                            ),
                            (
                                "  const s = [...$xs].sort((a, b) => a - b);\n"
                                "  const mid = s.length >> 1;\n"
                                "  return s.length % 2 ? s[mid] : (s[mid - 1] + s[mid]) / 2;"
                            ),
                        ),
                        (
                            "range",
                            "    return max($xs) - min($xs)",
                            "  return Math.max(...$xs) - Math.min(...$xs);",
                        ),
                        (
                            "variance",
                            "    m = sum($xs) / len($xs)\n    return sum((x - m) ** 2 for x in $xs) / len($xs)",
                            (
                                "  const m = $xs.reduce((a, b) => a + b, 0) / $xs.length;\n"
                                "  return $xs.reduce((a, x) => a + (x - m) ** 2, 0) / $xs.length;"
                            ),
                        ),
                    ]
                ),
            ),
            f=rng.choice(["$w_of", "compute_$w", "get_$w", "calc_$w"]),
            xs=rng.choice(ITEMS),
        ),
        ['def $f($xs):\n    if not $xs:\n        raise ValueError("no data")\n$bp', "def $f($xs):\n$bp"],
        [
            "function $f($xs: number[]): number {\n$bt\n}",
            'function $f($xs: number[]): number {\n  if ($xs.length === 0) throw new Error("no data");\n$bt\n}',
        ],
        ["The list must not be empty.", "The input is left unchanged.", "The $w is returned as a number."],
    ),
    template(
        "fmt_bytes",
        [
            "formats a number of bytes for people",
            "turns a byte count into a readable size",
            "prints a size in KB, MB or GB",
        ],
        choices(
            f=["format_bytes", "human_size", "readable_size", "show_size"],
            n=["n", "size", "count", "num_bytes"],
            b=[1000, 1024],
        ),
        [
            (
                "def $f($n):\n"
                '    for unit in ("B", "KB", "MB", "GB"):\n'
                "        if $n < $b:\n"
                '            return f"{$n:.1f} {unit}"\n'
                "        $n /= $b\n"
                '    return f"{$n:.1f} TB"'
            )
        ],
        [
            (
                "function $f($n: number): string {\n"
                '  const units = ["B", "KB", "MB", "GB", "TB"];\n'
                "  let i = 0;\n"
                "  while ($n >= $b && i < units.length - 1) {\n"
                "    $n /= $b;\n"
                "    i++;\n"
                "  }\n"
                "  return `${$n.toFixed(1)} ${units[i]}`;\n"
                "}"
            )
        ],
        [
            "Each unit is $b times the one before.",
            "The number is shown with one decimal place.",
            "Very large values are shown in TB.",
        ],
    ),
]
