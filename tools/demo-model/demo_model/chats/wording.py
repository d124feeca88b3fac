"""Numbers and articles in English."""

ONES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen
""".split()
TENS = """
_ _ twenty thirty forty fifty sixty seventy eighty ninety
""".split()


def num_words(n):
    """Spell a number below a million in words."""
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10] + ("-" + ONES[n % 10] if n % 10 else "")
    if n < 1000:
        return ONES[n // 100] + " hundred" + (" and " + num_words(n % 100) if n % 100 else "")
    return num_words(n // 1000) + " thousand" + (" " + num_words(n % 1000) if n % 1000 else "")


def is_prime(n):
    """Tell whether a number is prime."""
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))


def format_2(x):
    """At most two decimal places, no trailing zeros."""
    s = f"{x:.2f}".rstrip("0").rstrip(".")
    return s


def format_4(x):
    """At most four decimal places, no trailing zeros."""
    return f"{x:.4f}".rstrip("0").rstrip(".")


def a_an(w):
    """Put the indefinite article before a word."""
    return (
        "an "
        if w[:1].lower() in "aeiou"
        and not w.startswith(("uni", "use", "one", "eu"))
        or w.startswith(("honest", "hour", "heir"))
        else "a "
    ) + w
