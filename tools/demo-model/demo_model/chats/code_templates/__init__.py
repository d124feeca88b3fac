"""Parametric short functions in Python and TypeScript."""

from demo_model.chats.code_templates import behaviour, fields, lists, measures, numbers, records, text
from demo_model.chats.code_templates.define import camel_case, substitute

__all__ = ["TEMPLATES", "camel_case", "substitute"]

# The order is part of the generator: what a seed draws depends on it.
_ORDER = """
sum_if factorial fib is_prime reverse count_chars word_freq flatten chunk unique group_by clamp temp
palindrome gcd bsearch sort parse_kv slug retry memo filter_gt moving_avg transpose truncate fmt_bytes stack
deep_get caesar pick_max join_field debounce mean
""".split()

_BY_KEY = {
    entry["key"]: entry
    for module in (numbers, measures, text, fields, lists, records, behaviour)
    for entry in module.TEMPLATES
}

TEMPLATES = [_BY_KEY[key] for key in _ORDER]
