// Expressions of a fuzzed template: every form of the grammar, mostly with operands that suit it.
import { names } from "./data.mjs";
import {
  strings,
  numbers,
  attributes,
  stringMethods,
  listMethods,
  dictMethods,
  filters,
  filterNames,
  tests,
  testNames,
} from "./vocabulary.mjs";

/** Makes expressions; `scope` is the list of names that templates have made so far. */
export class Expressions {
  constructor(random, scope) {
    this.random = random;
    this.scope = scope;
  }

  name() {
    const { random } = this;
    return random.weighted([
      [8, () => random.pick(names)],
      [this.scope.length > 0 ? 6 : 0, () => random.pick(this.scope)],
      [0.7, () => random.pick(["u", "w", "loop", "caller", "varargs"])],
    ]);
  }

  any(depth) {
    const { random } = this;
    if (depth <= 0) return this.atom();
    const inner = () => this.any(depth - 1 - random.below(2));
    return random.weighted([
      [3, () => this.atom()],
      [3, () => this.filtered(depth - 1)],
      [2, () => this.method(depth - 1)],
      [2, () => `${this.operand(depth - 1)}.${random.pick(attributes)}`],
      [
        2,
        () =>
          `${this.operand(depth - 1)}[${random.weighted([
            [3, () => random.pick(strings)],
            [3, () => random.pick(numbers)],
            [1, inner],
          ])}]`,
      ],
      [1, () => `${this.operand(depth - 1)}[${this.slice()}]`],
      [4, () => this.typed(random.pick(["n", "s", "l", "b"]), depth - 1)],
      [0.5, () => `${inner()} ${random.pick(["+", "-", "*", "/", "//", "%"])} ${inner()}`],
      [1, () => `${inner()} ~ ${inner()}`],
      [0.3, () => `${inner()} ** ${random.pick(["0", "1", "2", "3", "-1", "0.5", "s", "true"])}`],
      [1, () => `${inner()} ${random.pick(["==", "!="])} ${inner()}`],
      [0.5, () => `${inner()} ${random.pick(["<", ">", "<=", ">=", "in", "not in"])} ${inner()}`],
      [
        0.1,
        () =>
          `${inner()} ${random.pick(["<", "=="])} ${inner()} ${random.pick([">", "!=", "in"])} ${inner()}`,
      ],
      [1, () => `${inner()} ${random.pick(["and", "or"])} ${inner()}`],
      [0.7, () => `not ${inner()}`],
      [0.5, () => `${random.pick(["-", "+"])}${this.operand(depth - 1)}`],
      [1, () => `(${inner()})`],
      [1, () => `${inner()} if ${inner()}${random.chance(0.8) ? ` else ${inner()}` : ""}`],
      [2, () => this.tested(depth - 1)],
      [1.2, () => this.collection(depth - 1)],
      [1, () => this.call(depth - 1)],
    ]);
  }

  /** An expression that most likely has this kind of value: a number, a text, a list, a boolean. */
  typed(kind, depth) {
    const { random } = this;
    const of = (other) => this.typed(other, depth - 1);
    if (depth <= 0) {
      if (kind === "n") return random.chance(0.4) ? "n" : random.pick(numbers);
      if (kind === "s") return random.chance(0.5) ? "s" : random.pick(strings);
      if (kind === "l")
        return random.pick(["l", "rows", "messages", "[1, 2, 3]", "['a', 'B']", "(1, 2)", "range(3)"]);
      return random.pick(["true", "x", "n", "l", "s == 'a'", "d is defined", "not y"]);
    }
    const make = {
      n: [
        [4, () => `${of("n")} ${random.pick(["+", "-", "*", "/", "//", "%"])} ${of("n")}`],
        [1, () => `(${of("n")})`],
        [1, () => `${random.pick(["(s)", "l", "rows", "d"])} | length`],
        [
          1,
          () =>
            `(${of("n")}) | ${random.pick(["abs", "round", "round(1)", "int", "float", "round(0, 'floor')"])}`,
        ],
        [1, () => `-(${of("n")})`],
      ],
      s: [
        [4, () => `${of("s")} ${random.pick(["+", "~"])} ${of("s")}`],
        [1, () => `(${of("s")}) * ${random.pick(["2", "0", "3"])}`],
        [1, () => `${of("s")} ~ ${this.any(depth - 1)}`],
        [
          2,
          () =>
            `(${of("s")}).${random.pick(["upper()", "strip()", "title()", "split()[0]", "lstrip('a ')", "replace('a', 'é')", "capitalize()"])}`,
        ],
        [1, () => `(${of("s")})[${this.slice()}]`],
        [
          2,
          () =>
            `(${of("s")}) | ${random.pick(["trim", "upper", "title", "indent", "tojson", "e", "reverse", "replace('a', 'x')", "truncate(5)", "safe", "wordwrap(5)", "string"])}`,
        ],
        [1, () => `(${of("l")}) | join(${random.pick(["", "','", "s"])})`],
        [1, () => `'%s' % (${this.any(depth - 1)},)`],
        [
          0.5,
          () =>
            `'${random.pick(["{}", "{:>5}", "{0}{0}", "{!r}", "{x}", "{:.2f}", "{:d}"])}'.format(${this.any(depth - 1)})`,
        ],
      ],
      l: [
        [2, () => `${of("l")} + ${of("l")}`],
        [1, () => `(${of("l")})[${this.slice()}]`],
        [
          3,
          () =>
            `(${of("l")}) | ${random.pick(["list", "sort", "reverse", "unique", "map('string')", "select", "batch(2)", "first", "reject('none')"])} | list`,
        ],
        [
          1,
          () =>
            `(rows | ${random.pick(["map(attribute='k')", "selectattr('n')", "rejectattr('k', 'eq', s)", "groupby('k')", "sort(attribute='n')", "map(attribute='n') "])}) | list`,
        ],
        [1, () => `[${of("n")}, ${of("s")}, ${this.any(depth - 1)}]`],
        [1, () => "d.items() | list"],
        [1, () => `(${of("s")}).split(${random.pick(["", "','", "'a'"])})`],
      ],
      b: [
        [2, () => `${of("n")} ${random.pick(["<", ">", "<=", ">=", "==", "!="])} ${of("n")}`],
        [2, () => `${of("s")} ${random.pick(["<", "==", "in", "not in", "!="])} ${of("s")}`],
        [1, () => `${of("s")} in ${random.pick(["l", "d", "['a', 'b']"])}`],
        [1, () => `${of("b")} ${random.pick(["and", "or"])} ${of("b")}`],
        [1, () => `not ${of("b")}`],
        [2, () => this.tested(depth - 1)],
        [0.3, () => `1 < ${of("n")} < 5`],
      ],
    };
    return random.weighted(make[kind]);
  }

  atom() {
    const { random } = this;
    return random.weighted([
      [5, () => this.name()],
      [3, () => random.pick(strings)],
      [3, () => random.pick(numbers)],
      [1, () => random.pick(["true", "false", "none", "True", "None"])],
      [0.4, () => random.pick(["[]", "{}", "()", "'a' 'b'"])],
    ]);
  }

  /** What a postfix can follow without parentheses. */
  operand(depth) {
    const { random } = this;
    return random.weighted([
      [5, () => this.name()],
      [1, () => random.pick(strings)],
      [depth > 0 ? 2 : 0, () => `(${this.any(depth - 1)})`],
      [depth > 0 ? 1 : 0, () => this.collection(depth - 1)],
      [depth > 0 ? 1 : 0, () => `${this.operand(depth - 1)}.${random.pick(attributes)}`],
    ]);
  }

  slice() {
    const { random } = this;
    const end = () => (random.chance(0.6) ? random.pick(["0", "1", "2", "-1", "-2", "n"]) : "");
    return `${end()}:${end()}${random.chance(0.3) ? `:${random.pick(["1", "2", "-1", "", "0"])}` : ""}`;
  }

  collection(depth) {
    const { random } = this;
    const item = () => this.any(depth);
    return random.weighted([
      [3, () => `[${random.some(0, 3, item).join(", ")}]`],
      [1, () => `(${random.some(1, 3, item).join(", ")},)`],
      [
        2,
        () =>
          `{${random
            .some(
              0,
              3,
              () =>
                `${random.weighted([
                  [5, () => random.pick(strings)],
                  [1, item],
                ])}: ${item()}`,
            )
            .join(", ")}}`,
      ],
      [1, () => `range(${random.some(1, 3, () => random.pick(["0", "1", "3", "5", "-1", "n"])).join(", ")})`],
    ]);
  }

  kind(kind, depth) {
    const { random } = this;
    // Now and then something that does not suit.
    if (random.chance(0.06)) return this.any(Math.max(0, depth));
    switch (kind) {
      case "s":
        return random.chance(0.3) ? "s" : random.pick(strings);
      case "n":
        return random.chance(0.15) ? "n" : random.pick(["0", "1", "2", "3", "-1", "4", "8", "16"]);
      case "b":
        return random.pick(["true", "false", "1", "none"]);
      case "l":
        return random.pick(["l", "rows", "messages", "['a', 'b']", "[1, 2, 3]", "x"]);
      case "d":
        return random.pick(["d", "{'a': 1}", "x"]);
      case "k":
        return random.pick([
          "'k'",
          "'n'",
          "'v'",
          "'role'",
          "'content'",
          "'a'",
          "'b'",
          "'v.a'",
          "0",
          "'0'",
          "'items'",
        ]);
      case "f":
        return random.pick(filterNames);
      case "t":
        return random.pick(testNames);
      case "m":
        return random.pick(["'common'", "'ceil'", "'floor'", "'x'"]);
      case "by":
        return random.pick(["'key'", "'value'", "'x'"]);
      default:
        return this.any(Math.max(0, depth));
    }
  }

  args(kinds, depth) {
    const { random } = this;
    const given = [];
    for (const kind of kinds) {
      if (kind === "*") {
        given.push(...random.some(0, 3, () => this.any(depth)));
      } else if (kind.startsWith("=")) {
        const [name, of] = kind.slice(1).split(":");
        given.push(`${name}=${this.kind(of, depth)}`);
      } else {
        if (kind.endsWith("?") && random.chance(0.5)) break;
        given.push(this.kind(kind.replace("?", ""), depth));
      }
    }
    if (random.chance(0.01)) given.push(random.pick(["bad=1", "*l", "**d", "*[1]", "**{'a': 1}"]));
    return given.join(", ");
  }

  filtered(depth) {
    const { random } = this;
    let text = this.operand(depth);
    for (const [name, ...kinds] of random.some(1, 2, () => random.pick(filters))) {
      const args = this.args(kinds, depth - 1);
      text += ` | ${name}${args === "" ? "" : `(${args})`}`;
    }
    return text;
  }

  tested(depth) {
    const { random } = this;
    const [name, ...kinds] = random.pick(tests);
    const args = this.args(kinds, depth - 1);
    const given = args === "" ? "" : random.chance(0.7) ? `(${args})` : ` ${args}`;
    return `${this.operand(depth)} is ${random.chance(0.2) ? "not " : ""}${name}${given}`;
  }

  method(depth) {
    const { random } = this;
    const [object, methods] = random.weighted([
      [
        5,
        () => [
          random.weighted([
            [3, () => "s"],
            [2, () => random.pick(strings)],
            [1, () => this.operand(depth)],
          ]),
          stringMethods,
        ],
      ],
      [2, () => [random.pick(["d", "rows[0]", "messages[0]", "{'a': 1, 'b': none}", "x"]), dictMethods]],
      [1, () => [random.pick(["l", "rows", "[1, 2, 1]", "(1, 2)", "x"]), listMethods]],
    ]);
    const [name, ...kinds] = random.pick(methods);
    return `${object}.${name}(${this.args(kinds, depth - 1)})`;
  }

  call(depth) {
    const { random } = this;
    return random.weighted([
      [2, () => `dict(${random.pick(["", "a=1", "d", "a=x, b=y", "[('a', 1)]", "**d"])})`],
      [1, () => `namespace(${random.pick(["", "a=1", "d", "a=x"])})`],
      [
        1,
        () =>
          `${random.pick(["cycler('a', 'b').next()", "joiner(', ')()", "strftime_now('%Y-%m-%d')", "cycler(1, 2).current"])}`,
      ],
      [
        1,
        () =>
          `loop.${random.pick(["index", "index0", "first", "last", "length", "revindex", "depth", "previtem", "nextitem", "cycle('a', 'b')", "changed(n)"])}`,
      ],
      [1, () => `${this.name()}(${random.some(0, 2, () => this.any(depth - 1)).join(", ")})`],
      [0.3, () => `raise_exception(${this.any(depth - 1)})`],
    ]);
  }
}
