"""How a template of a short function is written down.

`$name` in a text stands for a parameter; TypeScript's `${name}` is left alone.
"""

import re

_PARAMETER = re.compile(r"\$(\w+)")

# Names for the parts of a function.
ELEMENTS = ["x", "n", "item", "value", "v", "num", "it", "entry", "row", "el"]
ACCUMULATORS = ["total", "result", "acc", "out", "res", "answer", "output", "collected"]
TEXTS = ["text", "s", "string", "word", "line", "source", "content", "phrase", "message", "raw"]


def substitute(text, parameters):
    """Replace every `$name` that has a parameter of this name; `$w_of` is the parameter `w` and `_of`."""

    def value(match):
        name = match.group(1)
        if name in parameters:
            return str(parameters[name])
        head, underscore, rest = name.partition("_")
        return f"{parameters[head]}_{rest}" if underscore and head in parameters else match.group(0)

    return _PARAMETER.sub(value, text)


def camel_case(name):
    """Turn snake_case into camelCase."""
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def template(key, requests, parameters, python, typescript, explanations):
    """One template: what it is asked for with, how to draw its parameters, its code in two languages, what to say of it."""
    return {
        "key": key,
        "requests": requests,
        "parameters": parameters,
        "python": python,
        "typescript": typescript,
        "explanations": explanations,
    }


def choices(**options):
    """Parameters drawn one by one: each option is a list to choose from, or a function of the random source."""

    def draw(rng):
        return {
            name: (option(rng) if callable(option) else rng.choice(option))
            for name, option in options.items()
        }

    return draw


def integer(low, high):
    """A parameter that is a whole number from low to high."""
    return lambda rng: rng.randint(low, high)
