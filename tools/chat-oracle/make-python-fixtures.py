#!/usr/bin/env python3
"""Writes what the tests of the Python values of packages/chat-render expect, with Python's Jinja2.

    python3 make-python-fixtures.py

Every row of test/fixtures/python/<subject>.jsonl is an expression, the variables that it sees (JSON text), and the text
that it prints or the error that it raises.
"""
import json
import re
import warnings
from itertools import product
from pathlib import Path

import oracle

FIXTURES = Path(__file__).resolve().parent.parent.parent / "packages" / "chat-render" / "test" / "fixtures" / "python"

# Python warns of literals such as `[1]["a"]`, which these expressions hold on purpose.
warnings.simplefilter("ignore")

VALUES = [
    "none", "true", "7", "-7", "10**20", "1.0", "-2.5", "1e16", '""', '"Hello World"', '"a😀b"', '"  x\\ty "', '"<b>&"|safe',
    "[]", '["b","A","c"]', "[[1,2],[3,4]]", "(1,)", '{"b":1,"A":none}', '[{"a":1},{"b":2}]', "range(5,0,-2)", "undef",
]

FILTERS = [
    "abs", 'attr("upper")|string|length', "batch(2,0)|list", "capitalize", "center(9)", "count", 'default("d", true)',
    "dictsort", 'dictsort(false,"value",true)', "escape", "filesizeformat", "filesizeformat(true)", "first", "float",
    "forceescape", 'format("x")', 'groupby("a", default=0)', "indent(2, true)", "int", "items|list", 'join("-")', "last",
    "list", 'map("string")|list', 'map(attribute="a")|list', "max", "min", "pprint", 'reject("none")|list',
    'rejectattr("a")|list', 'replace("l","L",1)', "reverse|list", "round(1)", 'round(-1,"floor")', "safe", "select|list",
    'selectattr("a","defined")|list', "slice(2,0)|list", "sort", "sort(true,true)", "string", "striptags", "sum", "title",
    "tojson", "tojson(indent=2)", 'tojson(true,none,(",",":"),true)', "trim", 'truncate(5,true,"…",0)', "unique|list",
    "upper", "urlencode", "urlize", "wordcount", "wordwrap(4)", "xmlattr", "nope", "first(1)", "join(x=1)", "slice(0)|list",
]

METHODS = [
    "upper()", "title()", "capitalize()", "swapcase()", "casefold()", "strip()", 'lstrip(" Ha")', "split()", "split(none,1)",
    'split("l",1)', "rsplit(none,1)", 'rsplit("l",1)', "splitlines(true)", 'replace("l","L",1)', 'find("o",5)', 'rfind("o")',
    'index("z")', 'count("l")', 'startswith(("x","He"))', 'endswith("d",0,-1)', 'join(["x","y"])', "join([1])",
    'center(10,"*")', 'ljust(9,"-")', "rjust(5)", "zfill(14)", "expandtabs(4)", 'partition("o")', 'rpartition("o")',
    'removeprefix("He")', 'removesuffix("d")', "isalpha()", "isalnum()", "isdigit()", "isspace()", "istitle()", "isascii()",
    "isprintable()", "isidentifier()", "encode()", "format(1)", 'format_map({})', "translate({72:none})", "items()", "keys()",
    "values()|list", 'get("b")', 'get("z",5)', "get([])", "copy()", "index(1)", "count(1)", "append(1)", "pop()", "update({})",
    "bit_length()", "is_integer()", "hex()", "as_integer_ratio()", "real", "unescape()", "nope()", "nope", "__class__",
    "upper(1)", "upper(x=1)", "get()",
]

TESTS = [
    "boolean", "callable", "divisibleby(2)", "eq(7)", "escaped", "even", "odd", "float", "integer", "number", "string",
    "mapping", "sequence", "iterable", "none", "undefined", "lower", "upper", 'in([7,"a"])', 'in("abc")', "ge(1)", 'gt("a")',
    "sameas(none)", "filter", "odd(1)", "nope",
]

OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "==", "<", ">=", "in", "not in", "~"]
OPERANDS = ["none", "true", "-3", "10**20", "0", "1.5", '"%s"', '"<"|safe', "[1]", "(1,)", "undef"]

ITEMS = ["0", "-1", "9", '"upper"', '"b"', '"__class__"', '"append"', "none", "1.0", "true", "[]", "1:", "::-1", "-2:9:2", "::0", '"a":']

SPECS = [
    "", "<5", ">8", "^9", "=8", "08", "+", " ", "+08", "5d", ",", "_", "x", "#X", "#010b", "_x", "o", "c", "n", "e", ".2e", "f",
    ".0f", ".2f", "10.3f", "g", "#.3g", "%", ".1%", "s", ".2", "10.3s", "*^10", "z.1f", "#", "010,", "012,.2f", ".", "5.", "abc",
    "é", "😀^7", ".17g", ",x", ",_", "99999999999999999999",
]
FORMATTED = ["0", "255", "-1", "10**25", "0.0", "-0.04", "1.5", "2.5", "1e16", "123456789.125", "1e-300", '"a😀b"', "true", "none", "1e308*10"]

PRINTF = [
    "%s", "%r", "%a", "%d", "%5d|", "%-5d|", "%05d", "%+d", "% d", "%x", "%#X", "%#o", "%e", "%.2E", "%f", "%.0f", "%010.2f", "%g",
    "%#.3g", "%c", "%%", "%", "%y", "%(a)s", "%(a", "%s %s", "%5s|", "%.2s", "%*d", "%.*f", "%5%", "%.5d", "%08.3d",
]
ARGUMENTS = ["7", "-2.5", '"a😀b"', "none", "10**25", "(1,2)", "()", '{"a":5}', "[1,2]", "undef", '"<"|safe']

TEMPLATES = [
    "{} {}", "{0} {1}", "{a}", "{0.real}", "{0[a]}", "{0[0]}", "{!r}", "{!s:>5}", "{!a}", "{!x}", "{:{}}", "{:{:{}}}", "{{}}",
    "{", "}", "{0", "{0!", "{0!rx}", "{0[]}", "{0.}", "{0[a]b}", "{-1}", "{} {0}", "{0} {}", "{0.__class__}", "{.a}",
]
FORMAT_ARGUMENTS = ["", '"é",4', '{"a":1},5', "[7],9", "a=1", '"<"|safe,2', "undef,1"]

WORDS = (
    "Look, goof-ball -- use the -b option! (see www.x.org/a?b=(c)) <http://example.com>, me@example.com. mailto:a@b.co "
    "supercalifragilisticexpialidocious it's O'Neil x--y ΑΣ ὈΔΥΣΣΕΎΣ ǆ ﬁ ß İ ı ᾳ ² ½ 一 ٣ &amp; &eacute; &#x41; &lt;b&gt;\n\tnext"
    "\x1c\x85\u2028line \u200b\u3000\ufeff <!-- <i> --> <b>bold</b> a<b https://[::1]:80/ 1.2.3.4 http://1.2.3.4:5 https://1.2 x"
)
TEXT_EXPRESSIONS = [
    "x", "[x]", "x|title", "x|upper", "x|lower", "x.title()", "x.swapcase()", "x.casefold()", "x|wordcount", "x|wordwrap(10)",
    "x|wordwrap(12,false)", 'x|wordwrap(7,true,"|",false)', "x|wordwrap(9,true,none,1)", "x|urlize", 'x|urlize(9,true,"_blank","b a")',
    'x|urlize(extra_schemes=["ftp:"])', "x|striptags", "x|e", "x|truncate(30)", "x|truncate(30,true)", "x|indent(3,true,true)",
    "x|urlencode", "x|tojson", "x|tojson(true)", "x.split()", "x.splitlines()", "x|length", "x[5:40:3]", "x[::-1]", "x|pprint",
    "{'k': x}|pprint", "{'k': [x, x]}|pprint", "{'k': x}|xmlattr", "x.encode()", '"%.9r"|format(x)', '"{!a}".format(x)',
    "(x|safe).unescape()", "x.strip('Lx').rfind('x')", "x|replace('', '.')", "x|list|unique|join",
]

NUMBERS = [
    "2**0.5", "2**1.5", "7**1.5", "1.1**10", "10**-3", "0.5**1074", "2.5**-3.7", "1e300**2", "(-8)**(1/3)", "0.0**-1", "1.5**1000.5",
    "3**40", "(-2)**3", "2**-1", "10**400/10**399", "10**400/3", "10**22/7", "-7//2", "7//-2", "-7%3", "7%-3", "2.5//0.3", "-2.5//0.3",
    "-2.5%0.3", "5%-0.5", "1/0", "1//0", "1%0", "1.0/0", "1.0//0", "1.0%0", "0**-1", "(10**20)//-7", "(10**20)%-7", "10**20*10**20",
    "9007199254740991+1", "9007199254740993-1", "9007199254740993*1.0", "0.1+0.2", "1e22", "1e21", "123456789012345680.0", "5e-324",
    "1.7976931348623157e308", "-0.0", "0*-1", "1e308*10", "1e308*10-1e308*10", "true+true", "-true", "true/2", '2**"a"', "1<2<3", "1==1.0",
    "1==true", "10**20==1e20", "2.5|round", "3.5|round", "2.675|round(2)", "-0.5|round", "1234|round(-2)", "1250|round(-2)", "1.25|round(1)",
    '"12abc"|int', '"0x1f"|int(0,16)', '"0b11"|int(0,0)', '"1_000"|int', '"٣"|int', '"42.9"|int', '"1e3"|int', '" inf "|float', '"1_0.5"|float',
    '"nan"|float', '"x"|float(2)', "(1e308*10)|int", "5.0|int", "1000000|filesizeformat", "1048576|filesizeformat(true)", "999|filesizeformat",
    '"1e5"|filesizeformat', "(2**100)|string", "(10**4300)|string", '"%d"|format(3.99)', "255.0.hex()", "0.1.as_integer_ratio()",
    "(-5).bit_length()", "(300).to_bytes(2)", "{1: 'a', true: 'b', 1.0: 'c'}", "{(1, 2): 3}[(1.0, 2)]", "[3,1,2]|sort(reverse=true)",
    '[1,"a"]|sort', '[{"a":1},{"a":none}]|sort(attribute="a")', "[none,none]|sort", '["b","B","a"]|sort', '["b","B","a"]|sort(case_sensitive=true)',
]

DATA = json.dumps({"x": {"b": 1.0, "10": 12345678901234567890, "2": [-0.0, 1e20, 1e-7, None, True, "é\u007f\u2028😀"], "": {}}}, ensure_ascii=False)


def crossed(left, right, form):
    return [form % pair for pair in product(left, right)]


SUBJECTS = {
    "filters": [(row, None) for row in crossed(VALUES, FILTERS, "(%s)|%s")],
    "methods": [(row, None) for row in crossed(VALUES, METHODS, "(%s).%s")],
    "tests": [(row, None) for row in crossed(VALUES, TESTS, "(%s) is %s")],
    "items": [(row, None) for row in crossed(VALUES, ITEMS, "(%s)[%s]")],
    "operators": [(f"({a}) {operator} ({b})", None) for a, operator, b in product(OPERANDS, OPERATORS, OPERANDS) if (operator, b) != ("**", "10**20")],
    "format-specs": [(row, None) for row in crossed(SPECS, FORMATTED, '"{:%s}".format(%s)')],
    "printf": [(row, None) for row in crossed(PRINTF, ARGUMENTS, '"%s" %% (%s)') + crossed(PRINTF, ['"<"', "7", "{'a': '<'}"], '("%s"|safe) %% %s')],
    "str-format": [(row, None) for row in crossed(TEMPLATES, FORMAT_ARGUMENTS, '"%s".format(%s)') + crossed(TEMPLATES, ['"<", 2', "a='&'"], '("<%s>"|safe).format(%s)')],
    "text": [(row, json.dumps({"x": WORDS})) for row in TEXT_EXPRESSIONS],
    "numbers": [(row, None) for row in NUMBERS],
    "data": [(row, DATA) for row in ["x", "x|tojson", "x|tojson(indent=1)", "x|tojson(sort_keys=true)", "x|tojson(true)", "x|pprint", "x|dictsort", "x|items|list", 'x["2"][4:]', "x|string|length"]],
}


def main():
    FIXTURES.mkdir(parents=True, exist_ok=True)
    for subject, rows in SUBJECTS.items():
        with (FIXTURES / f"{subject}.jsonl").open("w", encoding="utf-8") as out:
            for expression, variables in rows:
                request = {"template": "{{ " + expression + " }}", **({} if variables is None else {"vars": variables})}
                result = oracle.bounded_result_of(request)
                # What prints an address changes from run to run.
                if "limit" in result or re.search(r"0x[0-9a-f]{8}", json.dumps(result)):
                    continue
                expected = {"text": result["text"]} if "text" in result else {"error": f"{result['error']['class']}: {result['error']['message']}"}
                row = {"expression": expression, **({} if variables is None else {"vars": variables}), **expected}
                out.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
