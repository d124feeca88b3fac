"""Templates of functions on whole numbers."""

from demo_model.chats.code_templates.define import ACCUMULATORS, ELEMENTS, choices, template
from demo_model.chats.vocabulary import ITEMS

TEMPLATES = [
    template(
        "sum_if",
        [
            "sums the $w numbers in a list",
            "returns the sum of all $w values in a list",
            "adds up only the $w numbers",
        ],
        lambda rng: dict(
            zip(
                ("w", "cpy", "cts"),
                rng.choice(
                    [
                        ("even", "$x % 2 == 0", "$x % 2 === 0"),
                        ("odd", "$x % 2 == 1", "$x % 2 !== 0"),
                        ("positive", "$x > 0", "$x > 0"),
                        ("negative", "$x < 0", "$x < 0"),
                    ]
                ),
            ),
            f=rng.choice(["sum_$w", "add_$w", "total_$w", "sum_of_$w", "$w_sum"]),
            xs=rng.choice(ITEMS),
            x=rng.choice(ELEMENTS),
            acc=rng.choice(ACCUMULATORS),
        ),
        [
            (
                "def $f($xs):\n"
                "    $acc = 0\n"
                "    for $x in $xs:\n"
                "        if $cpy:\n"
                "            $acc += $x\n"
                "    return $acc"
            ),
            "def $f($xs):\n    return sum($x for $x in $xs if $cpy)",
        ],
        [
            (
                "export function $f($xs: number[]): number {\n"
                "  let $acc = 0;\n"
                "  for (const $x of $xs) {\n"
                "    if ($cts) $acc += $x;\n"
                "  }\n"
                "  return $acc;\n"
                "}"
            ),
            (
                "export const $f = ($xs: number[]): number =>\n"
                "  $xs.filter(($x) => $cts).reduce((a, b) => a + b, 0);"
            ),
        ],
        [
            "It looks at each number once and adds it only when it is $w.",
            "Numbers that are not $w are skipped, so an empty list gives 0.",
            "The running time is linear in the length of `$xs`.",
        ],
    ),
    template(
        "factorial",
        [
            "computes the factorial of a number",
            "returns n factorial",
            "calculates the product of all integers from 1 to n",
        ],
        choices(
            f=["factorial", "fact", "compute_factorial", "factorial_of"],
            n=["n", "num", "k", "number"],
            acc=ACCUMULATORS,
            i=["i", "k2", "step"],
        ),
        [
            "def $f($n):\n    $acc = 1\n    for $i in range(2, $n + 1):\n        $acc *= $i\n    return $acc",
            "def $f($n):\n    if $n <= 1:\n        return 1\n    return $n * $f($n - 1)",
            (
                "def $f($n):\n"
                "    if $n < 0:\n"
                '        raise ValueError("$n must not be negative")\n'
                "    $acc = 1\n"
                "    for $i in range(2, $n + 1):\n"
                "        $acc *= $i\n"
                "    return $acc"
            ),
        ],
        [
            (
                "function $f($n: number): number {\n"
                "  let $acc = 1;\n"
                "  for (let $i = 2; $i <= $n; $i++) {\n"
                "    $acc *= $i;\n"
                "  }\n"
                "  return $acc;\n"
                "}"
            ),
            "function $f($n: number): number {\n  return $n <= 1 ? 1 : $n * $f($n - 1);\n}",
        ],
        [
            "For 0 and 1 the result is 1.",
            "The function multiplies all the integers from 2 up to `$n`.",
            "For example, `$f(5)` returns 120.",
        ],
    ),
    template(
        "fib",
        [
            "returns the n-th Fibonacci number",
            "computes Fibonacci numbers",
            "returns the first n Fibonacci numbers as a list",
        ],
        choices(
            f=["fibonacci", "fib", "nth_fib", "fib_number"],
            n=["n", "count", "k", "index"],
            a=["a", "prev", "x"],
            b=["b", "curr", "y"],
        ),
        [
            (
                "def $f($n):\n"
                "    $a, $b = 0, 1\n"
                "    for _ in range($n):\n"
                "        $a, $b = $b, $a + $b\n"
                "    return $a"
            ),
            "def $f($n):\n    if $n < 2:\n        return $n\n    return $f($n - 1) + $f($n - 2)",
        ],
        [
            (
                "function $f($n: number): number {\n"
                "  let $a = 0;\n"
                "  let $b = 1;\n"
                "  for (let i = 0; i < $n; i++) {\n"
                "    [$a, $b] = [$b, $a + $b];\n"
                "  }\n"
                "  return $a;\n"
                "}"
            )
        ],
        [
            "It starts with 0 and 1 and adds the last two numbers in each step.",
            "The loop runs `$n` times, so it is linear.",
            "For example, `$f(10)` returns 55.",
        ],
    ),
    template(
        "is_prime",
        [
            "checks whether a number is prime",
            "tells if n is a prime number",
            "returns true when the given number is prime",
        ],
        choices(
            f=["is_prime", "check_prime", "prime", "is_prime_number"],
            n=["n", "num", "number", "candidate"],
            d=["d", "i", "divisor", "k"],
        ),
        [
            (
                "def $f($n):\n"
                "    if $n < 2:\n"
                "        return False\n"
                "    $d = 2\n"
                "    while $d * $d <= $n:\n"
                "        if $n % $d == 0:\n"
                "            return False\n"
                "        $d += 1\n"
                "    return True"
            ),
            (
                "def $f($n):\n"
                "    if $n < 2:\n"
                "        return False\n"
                "    for $d in range(2, int($n ** 0.5) + 1):\n"
                "        if $n % $d == 0:\n"
                "            return False\n"
                "    return True"
            ),
        ],
        [
            (
                "function $f($n: number): boolean {\n"
                "  if ($n < 2) return false;\n"
                "  for (let $d = 2; $d * $d <= $n; $d++) {\n"
                "    if ($n % $d === 0) return false;\n"
                "  }\n"
                "  return true;\n"
                "}"
            )
        ],
        [
            "Only divisors up to the square root of `$n` have to be tried.",
            "Numbers below 2 are not prime.",
            "The first divisor that fits ends the search.",
        ],
    ),
    template(
        "gcd",
        [
            "computes the greatest common divisor of two numbers",
            "returns the gcd of a and b",
            "finds the largest number that divides both arguments",
        ],
        choices(
            f=["gcd", "greatest_common_divisor", "common_divisor", "euclid"],
            a=["a", "x", "m", "first"],
            b=["b", "y", "n", "second"],
        ),
        [
            "def $f($a, $b):\n    while $b:\n        $a, $b = $b, $a % $b\n    return abs($a)",
            "def $f($a, $b):\n    return $a if $b == 0 else $f($b, $a % $b)",
        ],
        [
            (
                "function $f($a: number, $b: number): number {\n"
                "  while ($b !== 0) {\n"
                "    [$a, $b] = [$b, $a % $b];\n"
                "  }\n"
                "  return Math.abs($a);\n"
                "}"
            )
        ],
        [
            "This is the algorithm of Euclid.",
            "For example, `$f(12, 18)` returns 6.",
            "Each step replaces the pair by the remainder.",
        ],
    ),
]
