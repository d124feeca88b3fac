// Whole fuzzed templates: text, output and every statement, with white space where it matters.
import { Expressions } from "./expressions.mjs";

const texts = [
  "a",
  " b ",
  "\n",
  "\n\n",
  "  ",
  "\t",
  " x\n  y",
  "<b>",
  "é😀",
  "{ ",
  "}",
  "%",
  "#",
  "\r\n",
  "\u00a0 ",
  "\ufeff",
  "text-}\n",
  "\u2028",
  "it's",
  "{ { ",
  "{#- c -#}",
  "{# c #}\n",
  "$",
  "\\n",
  "  {# c #}  ",
];

export class Statements {
  #made = 0;

  constructor(random) {
    this.random = random;
    this.scope = [];
    this.loops = 0;
    this.inMacro = false;
    this.expressions = new Expressions(random, this.scope);
  }

  template() {
    return this.body(3, 5);
  }

  body(depth, most) {
    const { random } = this;
    const scoped = this.scope.length;
    const text = random.some(1, most, () => this.statement(depth)).join("");
    // Names of an inner scope are kept now and then: what leaks and what does not is of interest.
    if (random.chance(0.7)) this.scope.length = Math.min(this.scope.length, scoped);
    return text;
  }

  expression(depth = 3) {
    return this.expressions.any(1 + this.random.below(depth));
  }

  /** Where an `if` of its own would end the expression. */
  closed(depth = 3) {
    const text = this.expression(depth);
    return text.includes(" if ") && this.random.chance(0.95) ? `(${text})` : text;
  }

  /** `{% … %}` with white space control and padding. */
  tag(inside) {
    const { random } = this;
    const mark = () => (random.chance(0.25) ? random.pick(["-", "-", "+"]) : "");
    return `{%${mark()}${random.chance(0.95) ? " " : ""}${inside} ${mark()}%}`;
  }

  output() {
    const { random } = this;
    const mark = () => (random.chance(0.15) ? "-" : "");
    return `{{${mark()} ${this.expression()} ${mark()}}}`;
  }

  fresh() {
    const name = this.random.pick(["v", "i", "k1", "acc", "ns"]) + (this.#made++ % 4);
    this.scope.push(name);
    return name;
  }

  statement(depth) {
    const { random } = this;
    const inner = () => this.body(depth - 1, 3);
    const nested = depth > 0 ? 1 : 0;
    return random.weighted([
      [4, () => random.pick(texts)],
      [7, () => this.output()],
      [2 * nested, () => this.branch(inner)],
      [2.5 * nested, () => this.loop(inner)],
      [2, () => this.set(inner)],
      [0.7 * nested, () => this.macro(inner)],
      [
        0.5 * nested,
        () =>
          this.tag(
            `filter ${random.pick(["upper", "trim", "replace('a', 'b')", "indent(2)", "e", "length", "title | trim"])}`,
          ) +
          inner() +
          this.tag("endfilter"),
      ],
      [
        0.5 * nested,
        () =>
          this.tag(
            `with ${random.pick(["", `${this.fresh()} = ${this.expression(2)}`, `v0 = n, v1 = v0`])}`,
          ) +
          inner() +
          this.tag("endwith"),
      ],
      [0.5 * nested, () => this.tag("generation") + inner() + this.tag("endgeneration")],
      [
        0.3,
        () =>
          `{% raw ${random.pick(["", "-"])}%}${random.pick(["{{ x }}", " {% if %}\n", "\n a \n", "{# c #}"])}{%${random.pick(["", "-"])} endraw %}`,
      ],
      [
        0.2 * nested,
        () =>
          this.tag(`block b${this.#made++}${random.pick(["", " scoped"])}`) + inner() + this.tag("endblock"),
      ],
      [
        0.15 * nested,
        () => this.tag(`autoescape ${random.pick(["true", "false"])}`) + inner() + this.tag("endautoescape"),
      ],
      [
        0.05,
        () =>
          random.pick([
            "{% nope %}",
            "{% endif %}",
            "{{ }}",
            "{% if %}",
            "{% break %}",
            "{% include 'a' %}",
            "{% do l %}",
          ]),
      ],
    ]);
  }

  branch(inner) {
    const { random } = this;
    let text = this.tag(`if ${this.closed()}`) + inner();
    if (random.chance(0.3)) text += this.tag(`elif ${this.closed(2)}`) + inner();
    if (random.chance(0.5)) text += this.tag("else") + inner();
    return text + this.tag("endif");
  }

  loop(inner) {
    const { random } = this;
    const over = random.weighted([
      [
        4,
        () =>
          random.pick([
            "l",
            "rows",
            "messages",
            "x",
            "s",
            "[1, 2, 3]",
            "range(3)",
            "d",
            "d.items()",
            "d | dictsort",
            "(1, 2)",
          ]),
      ],
      [2, () => this.closed(2)],
    ]);
    const target =
      over.includes("items") || over.includes("dictsort") || random.chance(0.1)
        ? `${this.fresh()}, ${this.fresh()}`
        : this.fresh();
    const filter = random.chance(0.2) ? ` if ${this.closed(2)}` : "";
    const recursive = random.chance(0.08) ? " recursive" : "";
    this.loops++;
    let body = inner();
    if (random.chance(0.3))
      body +=
        this.tag(`if ${this.closed(2)}`) +
        this.tag(random.pick(["break", "continue"])) +
        this.tag("endif") +
        this.statement(0);
    if (random.chance(0.4))
      body += `{{ loop.${random.pick(["index", "last", "first", "length", "revindex0", "nextitem", "previtem", "cycle('a', 'b')", "changed(n)", "depth0"])} }}`;
    this.loops--;
    const otherwise = random.chance(0.2) ? this.tag("else") + inner() : "";
    return this.tag(`for ${target} in ${over}${filter}${recursive}`) + body + otherwise + this.tag("endfor");
  }

  set(inner) {
    const { random } = this;
    return random.weighted([
      [
        4,
        () => {
          const value = this.expression();
          return this.tag(`set ${this.fresh()} = ${value}`);
        },
      ],
      [
        1,
        () =>
          this.tag(
            `set ${this.fresh()}, ${this.fresh()} = ${random.pick(["1, 2", "l", "s", "[n, s]", "x"])}`,
          ),
      ],
      [
        1,
        () => {
          const body = inner === undefined ? "" : inner();
          return (
            this.tag(`set ${this.fresh()}${random.chance(0.2) ? " | upper" : ""}`) + body + this.tag("endset")
          );
        },
      ],
      [
        1.5,
        () => {
          const name = `ns${this.#made++ % 2}`;
          this.scope.push(name, `${name}.a`);
          return (
            this.tag(`set ${name} = namespace(a=${this.expression(2)})`) +
            this.tag(`set ${name}.${random.pick(["a", "b"])} = ${this.expression(2)}`)
          );
        },
      ],
    ]);
  }

  macro(inner) {
    const { random } = this;
    const name = `m${this.#made++ % 3}`;
    const params = random.pick(["", "a", "a, b=1", "a, b=s", "a='z', b=a"]);
    const before = this.scope.length;
    this.scope.push("a", "b");
    const extra = random.chance(0.25)
      ? random.pick(["{{ caller() }}", "{{ varargs }}", "{{ kwargs }}", "{{ caller('q') if caller }}"])
      : "";
    const text = this.tag(`macro ${name}(${params})`) + inner() + extra + this.tag("endmacro");
    this.scope.length = before;
    const args = random.pick(["", "1", "x", "s, n", "a=1", "1, b=2", "1, 2, 3", "q=1"]);
    const use = random.weighted([
      [4, () => `{{ ${name}(${args})${random.pick(["", " | trim", " | upper", " + s"])} }}`],
      [
        1,
        () =>
          this.tag(`call${random.pick(["", "(c)", "(c='d')"])} ${name}(${args})`) +
          this.statement(0) +
          this.tag("endcall"),
      ],
      [0.3, () => `{{ ${name}.${random.pick(["name", "arguments", "caller"])} }}`],
    ]);
    return text + use;
  }
}

/** A template, and now and then one with a fault in it. */
export function template(random) {
  const text = new Statements(random).template();
  if (!random.chance(0.06) || text.length < 4) return text;
  const at = random.below(text.length);
  return random.weighted([
    [2, () => text.slice(0, at) + text.slice(at + 1 + random.below(3))],
    [
      1,
      () =>
        text.slice(0, at) +
        random.pick(["{", "}", "%", "(", ")", "'", "|", "=", ",", ".", "!", "[", "{{", "%}", "-", "\\"]) +
        text.slice(at),
    ],
    [1, () => text.slice(0, at)],
  ]);
}
