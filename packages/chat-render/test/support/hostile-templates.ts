/** Templates that would never end, or grow without bound, or reach out of their sandbox. */
export interface HostileTemplate {
  readonly name: string;
  readonly template: string;
  /** Line of the template at which it is stopped. */
  readonly line: number;
}

const deep = (open: string, close: string, count: number): string => open.repeat(count) + close.repeat(count);

export const endless: readonly HostileTemplate[] = [
  {
    name: "loops in loops",
    template: "\n{% for a in range(99999) %}\n{% for b in range(99999) %}{{ b }}{% endfor %}{% endfor %}",
    line: 3,
  },
  {
    name: "loops with nothing in them",
    template: "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    line: 1,
  },
  {
    name: "loops that filter everything out",
    template: "x\n{% for a in range(99999) %}{% for b in range(99999) if false %}{% endfor %}{% endfor %}",
    line: 2,
  },
  {
    name: "a doubling text",
    template:
      "{% set ns = namespace(x='ab') %}\n{% for i in range(99) %}\n{% set ns.x = ns.x + ns.x %}\n{% endfor %}",
    line: 3,
  },
  {
    name: "a doubling list",
    template:
      "{% set ns = namespace(x=[1]) %}\n{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
    line: 2,
  },
  { name: "a repeated text", template: "\n\n{{ 'abc' * 99999999999 }}", line: 3 },
  { name: "a repeated list", template: "{{ ([0] * 99999999) | length }}", line: 1 },
  { name: "a padded text", template: "{{ 'x'.center(9999999999) }}", line: 1 },
  { name: "a format with a width", template: "{{ '%999999999d' % 1 }}", line: 1 },
  { name: "a replacement that grows", template: "{{ ('a' * 9999).replace('a', 'b' * 9999) }}", line: 1 },
  { name: "a join that grows", template: "{{ ('x' * 9999).join(range(9999) | map('string')) }}", line: 1 },
  { name: "a large power", template: "{{ 99999 ** 9999999 }}", line: 1 },
  { name: "powers of powers", template: "{{ 99999 ** 99999 ** 99999 }}", line: 1 },
  { name: "indentation", template: "{{ ('\n' * 99999) | indent(99999) }}", line: 2 },
  {
    name: "text that doubles by joining",
    template:
      "{% set ns = namespace(x='ab') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
    line: 1,
  },
  {
    name: "a list that holds itself many times over",
    template:
      "{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
    line: 1,
  },
  {
    name: "such a list as JSON",
    template:
      "{% set ns = namespace(x=[1]) %}{% for i in range(40) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}\n{{ ns.x | tojson }}",
    line: 2,
  },
  {
    name: "such lists compared",
    template:
      "{% set ns = namespace(x=[1], y=[1]) %}{% for i in range(40) %}{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}\n{{ ns.x == ns.y }}",
    line: 2,
  },
  {
    name: "output without end",
    template: "{% for a in range(99999) %}{{ 'a-long-text' * 99 }}{% endfor %}",
    line: 1,
  },
  {
    name: "a macro that calls itself twice",
    template:
      "{% macro m(n) %}{% if n > 0 %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
    line: 1,
  },
  {
    name: "sorting much, often",
    template: "{% for a in range(99999) %}{% set x = range(99999) | sort(reverse=true) %}{% endfor %}",
    line: 1,
  },
  {
    name: "searching a long text, often",
    template: "{% set t = 'a' * 999999 %}{% for a in range(99999) %}{{ t.find('b') }}{% endfor %}",
    line: 1,
  },
  {
    name: "counting a long text, often",
    template:
      "{% set t = 'a' * 999999 %}{% for a in range(99999) %}{% set n = t | length %}{{ t.count('b') }}{% endfor %}",
    line: 1,
  },
  {
    name: "looking for a value in a long list, often",
    template: "{% set l = range(99999) | list %}{% for a in range(99999) %}{{ -1 in l }}{% endfor %}",
    line: 1,
  },
  {
    name: "splitting a long text, often",
    template: "{% set t = 'a ' * 99999 %}{% for a in range(99999) %}{% set x = t.split() %}{% endfor %}",
    line: 1,
  },
  {
    name: "a text built letter by letter",
    template:
      "{% set ns = namespace(x='') %}{% for a in range(99999) %}{% for b in range(99999) %}{% set ns.x = ns.x + 'ab' %}{% endfor %}{% endfor %}",
    line: 1,
  },
  {
    name: "batches filled up",
    template: "{{ [1] | batch(999999999, 'x') | list }}",
    line: 1,
  },
  { name: "slices without end", template: "{{ [1] | slice(999999999) | list }}", line: 1 },
  {
    name: "wrapping a long text",
    template:
      "{% set t = 'a' * 999999 %}{% for a in range(9999) %}{{ t | wordwrap(2) | length }}{% endfor %}",
    line: 1,
  },
  {
    name: "dividing large numbers",
    template: "{% for a in range(99999) %}{{ ((7 ** (20000 + a)) // (3 ** 9000)) % 7 }}{% endfor %}",
    line: 1,
  },
];

/** Refused with Python's own class, for Python refuses them too. */
export const refused: readonly (readonly [name: string, template: string, pythonClass: string])[] = [
  ["a range that is too long", "{{ range(100001) }}", "OverflowError"],
  ["a macro without end", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "RecursionError"],
  ["a method that changes a list", "{{ messages.append(1) }}", "SecurityError"],
  ["a call of a class", "{{ messages.__class__() }}", "SecurityError"],
  ["the class of a text", "{{ ''.__class__.__mro__[1].__subclasses__() }}", "SecurityError"],
  ["a format that looks behind", "{{ '{0.__class__.__mro__}'.format(1) }}", "SecurityError"],
];

/** Ways to what JavaScript keeps behind values; each must be undefined to a template. */
export const outside: readonly string[] = [
  "messages.constructor",
  "messages['constructor']",
  "messages[0].__proto__",
  "messages[0]['__proto__']",
  "messages[0] | attr('constructor')",
  "''.constructor",
  "(1).constructor",
  "''.toString",
  "messages.length",
  "messages.map",
  "messages[0].hasOwnProperty",
  "messages[0].valueOf",
  "range.constructor",
  "raise_exception.call",
  "''.upper.apply",
  "namespace().constructor",
  "globalThis",
  "process",
  "require",
  "this",
  "self.constructor",
  "loop",
  "true.constructor",
  "none.constructor",
];

export const nested: readonly (readonly [name: string, template: string])[] = [
  ["parentheses", `{{ ${deep("(", ")", 100_000)} }}`],
  ["open parentheses", `{{ ${"(".repeat(100_000)} }}`],
  ["lists", `{{ ${deep("[", "]", 100_000)} }}`],
  ["negations", `{{ ${"not ".repeat(100_000)}x }}`],
  ["signs", `{{ ${"-".repeat(100_000)}1 }}`],
  ["filters", `{{ x${" | upper".repeat(100_000)} }}`],
  ["attributes", `{{ x${".a".repeat(100_000)} }}`],
  ["sums", `{{ 1${" + 1".repeat(100_000)} }}`],
  ["conditions", "{% if x %}".repeat(20_000) + "{% endif %}".repeat(20_000)],
  ["loops", "{% for a in b %}".repeat(20_000) + "{% endfor %}".repeat(20_000)],
];
