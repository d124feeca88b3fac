"""Templates of functions on text."""

from demo_model.chats.code_templates.define import TEXTS, choices, integer, template

TEMPLATES = [
    template(
        "reverse",
        ["reverses a string", "returns the given text backwards", "turns a string around"],
        choices(f=["reverse", "reverse_text", "reversed_string", "flip", "reverse_string"], s=TEXTS),
        [
            "def $f($s):\n    return $s[::-1]",
            'def $f($s):\n    out = ""\n    for ch in $s:\n        out = ch + out\n    return out',
            'def $f($s: str) -> str:\n    return "".join(reversed($s))',
        ],
        [
            'function $f($s: string): string {\n  return [...$s].reverse().join("");\n}',
            'const $f = ($s: string): string => $s.split("").reverse().join("");',
        ],
        [
            "The last character becomes the first one.",
            "An empty string stays empty.",
            'For example, `$f("abc")` returns "cba".',
        ],
    ),
    template(
        "count_chars",
        [
            "counts the $w in a string",
            "returns how many $w a text contains",
            "counts how often $w occur in the given text",
        ],
        lambda rng: dict(
            zip(
                ("w", "set"),
                rng.choice(
                    [
                        ("vowels", "aeiou"),
                        ("digits", "0123456789"),
                        ("spaces", " "),
                        ("brackets", "()[]{}"),
                        ("punctuation marks", ".,;:!?"),
                        ("hex digits", "0123456789abcdef"),
                    ]
                ),
            ),
            f=rng.choice(["count_chars", "count_matching", "count_in", "how_many", "tally"]),
            s=rng.choice(TEXTS),
            n=rng.choice(["count", "n", "total", "hits"]),
        ),
        [
            (
                "def $f($s):\n"
                "    $n = 0\n"
                "    for ch in $s.lower():\n"
                '        if ch in "$set":\n'
                "            $n += 1\n"
                "    return $n"
            ),
            'def $f($s):\n    return sum(1 for ch in $s.lower() if ch in "$set")',
        ],
        [
            (
                "function $f($s: string): number {\n"
                "  let $n = 0;\n"
                "  for (const ch of $s.toLowerCase()) {\n"
                '    if ("$set".includes(ch)) $n++;\n'
                "  }\n"
                "  return $n;\n"
                "}"
            )
        ],
        [
            "The text is lowered first, so upper case letters count as well.",
            'Every character is checked against the set "$set".',
            "It returns 0 when there are no $w.",
        ],
    ),
    template(
        "word_freq",
        [
            "counts how often each word occurs in a text",
            "builds a word frequency map",
            "returns the number of occurrences of every word",
        ],
        choices(
            f=["word_counts", "count_words", "word_frequency", "tally_words", "histogram"],
            s=TEXTS,
            m=["counts", "freq", "table", "seen", "tally"],
        ),
        [
            (
                "def $f($s):\n"
                "    $m = {}\n"
                "    for word in $s.lower().split():\n"
                "        $m[word] = $m.get(word, 0) + 1\n"
                "    return $m"
            ),
            "from collections import Counter\n\n\ndef $f($s):\n    return Counter($s.lower().split())",
        ],
        [
            (
                "function $f($s: string): Map<string, number> {\n"
                "  const $m = new Map<string, number>();\n"
                "  for (const word of $s.toLowerCase().split(/\\s+/)) {\n"
                "    if (!word) continue;\n"
                "    $m.set(word, ($m.get(word) ?? 0) + 1);\n"
                "  }\n"
                "  return $m;\n"
                "}"
            )
        ],
        [
            "Words are separated by white space and compared in lower case.",
            "The result maps each word to its count.",
            "Punctuation is not removed.",
        ],
    ),
    template(
        "palindrome",
        [
            "checks if a string is a palindrome",
            "tells whether a word reads the same backwards",
            "returns true for palindromes",
        ],
        choices(
            f=["is_palindrome", "palindrome", "check_palindrome", "reads_same"],
            s=TEXTS,
            c=["clean", "letters", "norm", "chars"],
        ),
        [
            "def $f($s):\n    $c = [ch for ch in $s.lower() if ch.isalnum()]\n    return $c == $c[::-1]",
            (
                "def $f($s):\n"
                "    $c = $s.lower()\n"
                "    left, right = 0, len($c) - 1\n"
                "    while left < right:\n"
                "        if $c[left] != $c[right]:\n"
                "            return False\n"
                "        left += 1\n"
                "        right -= 1\n"
                "    return True"
            ),
        ],
        [
            (
                "function $f($s: string): boolean {\n"
                '  const $c = $s.toLowerCase().replace(/[^a-z0-9]/g, "");\n'
                '  return $c === [...$c].reverse().join("");\n'
                "}"
            )
        ],
        [
            "Upper and lower case are treated the same.",
            'For example, "level" is a palindrome.',
            "It compares the characters from both ends.",
        ],
    ),
    template(
        "caesar",
        ["shifts each letter by $k", "encodes text with a Caesar shift of $k", "applies a Caesar cipher"],
        choices(f=["caesar", "shift_text", "encode", "rotate", "caesar_shift"], s=TEXTS, k=integer(1, 25)),
        [
            (
                "def $f($s, shift=$k):\n"
                "    out = []\n"
                "    for ch in $s:\n"
                "        if ch.isalpha():\n"
                '            base = ord("A") if ch.isupper() else ord("a")\n'
                "            ch = chr((ord(ch) - base + shift) % 26 + base)\n"
                "        out.append(ch)\n"
                '    return "".join(out)'
            )
        ],
        [
            (
                "function $f($s: string, shift = $k): string {\n"
                "  return $s.replace(/[a-z]/gi, (ch) => {\n"
                '    const base = ch <= "Z" ? 65 : 97;\n'
                "    return String.fromCharCode(((ch.charCodeAt(0) - base + shift) % 26) + base);\n"
                "  });\n"
                "}"
            )
        ],
        [
            "Letters wrap around at the end of the alphabet.",
            "Digits and spaces are left alone.",
            "A shift of 26 minus $k undoes it.",
        ],
    ),
]
