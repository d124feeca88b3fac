/** Refusals of templates, as Jinja in Python words them. Made with tools/chat-oracle/oracle.py. */
export const refusals: Readonly<Record<string, readonly (readonly [template: string, refusal: string])[]>> = {
  "delimiters and brackets": [
    ["{{ 1 }", "TemplateSyntaxError: unexpected '}'"],
    ["{{ (1 }}", "TemplateSyntaxError: unexpected '}', expected ')'"],
    ["{{ 1) }}", "TemplateSyntaxError: unexpected ')'"],
    ["{{ [1) }}", "TemplateSyntaxError: unexpected ')', expected ']'"],
    ["{% if x", "TemplateSyntaxError: unexpected end of template, expected 'end of statement block'."],
    ["{{ 'a }}", 'TemplateSyntaxError: unexpected char "\'" at 3'],
    ["{{ a ! b }}", "TemplateSyntaxError: unexpected char '!' at 5"],
    ["a {# b", "TemplateSyntaxError: Missing end of comment tag"],
    ["{% raw %}{{ x }}", "TemplateSyntaxError: Missing end of raw directive"],
    ["{{", "TemplateSyntaxError: unexpected 'end of template'"],
    ["{%", "TemplateSyntaxError: tag name expected"],
    ["{{ 1 if }}", "TemplateSyntaxError: unexpected 'end of print statement'"],
    ["{{ 😀 }}", "TemplateSyntaxError: unexpected char '😀' at 3"],
  ],
  tags: [
    ["{% foo %}", "TemplateSyntaxError: Encountered unknown tag 'foo'."],
    ["{% endif %}", "TemplateSyntaxError: Encountered unknown tag 'endif'."],
    [
      "{% if x %}{% endfor %}",
      "TemplateSyntaxError: Encountered unknown tag 'endfor'. Jinja was looking for the following tags: 'elif' or 'else' or 'endif'. The innermost block that needs to be closed is 'if'.",
    ],
    [
      "{% for x in y %}{% else %}{% if z %}{% endfor %}",
      "TemplateSyntaxError: Encountered unknown tag 'endfor'. You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for 'elif' or 'else' or 'endif'. The innermost block that needs to be closed is 'if'.",
    ],
    [
      "{% if x %}",
      "TemplateSyntaxError: Unexpected end of template. Jinja was looking for the following tags: 'elif' or 'else' or 'endif'. The innermost block that needs to be closed is 'if'.",
    ],
    [
      "{% for x in y %}a",
      "TemplateSyntaxError: Unexpected end of template. Jinja was looking for the following tags: 'endfor' or 'else'. The innermost block that needs to be closed is 'for'.",
    ],
    ["{% do x %}", "TemplateSyntaxError: Encountered unknown tag 'do'."],
    ["{% trans %}", "TemplateSyntaxError: Encountered unknown tag 'trans'."],
    ["{% 1 %}", "TemplateSyntaxError: tag name expected"],
    [
      "{% block a-b %}{% endblock %}",
      "TemplateSyntaxError: Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead.",
    ],
    [
      "{% macro m(a=1, b) %}{% endmacro %}",
      "TemplateSyntaxError: non-default argument follows default argument",
    ],
    ["{% call m %}{% endcall %}", "TemplateSyntaxError: expected call"],
    [
      "{% generation %}x",
      "TemplateSyntaxError: Unexpected end of template. Jinja was looking for the following tags: 'endgeneration'. The innermost block that needs to be closed is 'generation'.",
    ],
  ],
  targets: [
    ["{% set 1 = 2 %}", "TemplateSyntaxError: can't assign to 'const'"],
    ["{% set [a] = 2 %}", "TemplateSyntaxError: can't assign to 'list'"],
    ["{% set none = 2 %}", "TemplateSyntaxError: can't assign to 'const'"],
    ["{% for true in x %}{% endfor %}", "TemplateSyntaxError: can't assign to 'const'"],
    ["{% macro m(none) %}{% endmacro %}", "TemplateSyntaxError: can't assign to 'name'"],
    [
      "{% for loop in x %}{% endfor %}",
      "TemplateAssertionError: Can't assign to special loop variable in for-loop target",
    ],
    [
      "{% for a in b %}{% set loop = 1 %}{% endfor %}",
      "TemplateAssertionError: Can't assign to special loop variable in for-loop target",
    ],
  ],
  expressions: [
    ["{{ }}", "TemplateSyntaxError: Expected an expression, got 'end of print statement'"],
    ["{{ a b }}", "TemplateSyntaxError: expected token 'end of print statement', got 'b'"],
    ["{{ a. }}", "TemplateSyntaxError: expected name or number"],
    ["{{ a.'b' }}", "TemplateSyntaxError: expected name or number"],
    ["{{ a is b is c }}", "TemplateSyntaxError: You cannot chain multiple tests with is"],
    ["{{ f(a=1, 2) }}", "TemplateSyntaxError: invalid syntax for function call expression"],
    ["{{ f(**a, *b) }}", "TemplateSyntaxError: invalid syntax for function call expression"],
    ["{{ f(a=1, a=2) }}", "SyntaxError: keyword argument repeated: a (<template>, line 12)"],
    ["{{ {1} }}", "TemplateSyntaxError: expected token ':', got '}'"],
    ["{{ a[1:2, 3] }}", "SyntaxError: invalid syntax (<template>, line 12)"],
    ["{{ 1|nosuch }}", "TemplateAssertionError: No filter named 'nosuch'."],
    ["{{ 1 is nosuch }}", "TemplateAssertionError: No test named 'nosuch'."],
    ["{% if x %}{{ 1|nosuch }}{% endif %}", "text "],
    ["{{ '\\x4' }}", "TemplateSyntaxError: truncated \\xXX escape"],
    ["{{ '\\N{no such}' }}", "TemplateSyntaxError: unknown Unicode character name"],
    ["{{ '\\U00110000' }}", "TemplateSyntaxError: illegal Unicode character"],
    [`{{ ${"(".repeat(90)}1${")".repeat(90)} }}`, "RecursionError: maximum recursion depth exceeded"],
  ],
  "what Python would refuse": [
    ["{% break %}", "SyntaxError: 'break' outside loop (<template>, line 11)"],
    [
      "{% macro m() %}{% continue %}{% endmacro %}",
      "SyntaxError: 'continue' not properly in loop (<template>, line 15)",
    ],
    [
      "{% macro m(a, a) %}{% endmacro %}",
      "SyntaxError: duplicate argument 'l_1_a' in function definition (<template>, line 12)",
    ],
    [
      "{% set x | default(y) %}{% endset %}",
      "AssertionError: Tried to resolve a name to a reference that was unknown to the frame ('y')",
    ],
    [
      "{% macro m(caller) %}{{ caller }}{% endmacro %}",
      'TemplateAssertionError: When defining macros or call blocks the special "caller" argument must be omitted or be given a default.',
    ],
    [
      "{% block a %}{% endblock %}{% block a %}{% endblock %}",
      "TemplateAssertionError: block 'a' defined twice",
    ],
    [
      "{% for x in y %}{% extends 'a' %}{% endfor %}",
      "TemplateAssertionError: cannot use extend from a non top-level scope",
    ],
    [
      "{% from 'a' import _b %}",
      "TemplateAssertionError: names starting with an underline can not be imported",
    ],
    ["{{ [1, {[2]: 3}][0] }}", "TypeError: unhashable type: 'list'"],
    ["{{ 1e999 + x }}", "NameError: name 'inf' is not defined"],
  ],
};
