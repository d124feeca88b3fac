// One format, filter, method or slice with arguments that seldom suit it: what the larger templates meet too rarely.

const numbers =
  "0 1 -1 7 -42 255 1234567 -1234567 12345678901234567890 10**30 -(10**25) 0.0 -0.0 1.0 0.1 -2.5 1e-7 1e16 123456.789 -0.001 3.14159265 5e-324 1.7976931348623157e308 2.675 0.5 1.5 2.5 1e22 true false 99.95 0.05 1e5 999999.5 9.995 12345.6789e10 1e400 -1e400".split(
    " ",
  );
const values = ["'abc'", "''", "'é😀x'", "('a' | safe)", "none", "[1]", "u", "'12'"];
const texts = [
  "'Hello World foo-bar baz'",
  "'a b c'",
  "''",
  "'  x  y '",
  "'línea uno\\nzwei\\n\\ndrei'",
  "'aaaaaaaaaaaaaaaa'",
  "'a-b-c-d e–f'",
  "'x\\ty'",
  "'😀😀 😀'",
  "('<b>x</b> &amp; y' | safe)",
  "'The quick brown fox jumps. Don\\'t!'",
];
const operands = [...texts, "5", "none", "u", "[1, 2, 3]"];
const args = "0 1 2 3 5 10 -1 none true false 'x' '' 'ab' 2.0 u 100".split(" ");
const filters =
  "truncate wordwrap indent center replace batch slice round int float trim join default title wordcount format sum sort unique tojson first last list length reverse string upper lower capitalize urlize striptags e filesizeformat min max abs dictsort items map select reject xmlattr urlencode pprint groupby attr count d forceescape safe".split(
    " ",
  );
const generators = new Set(["batch", "slice", "unique", "items", "map", "select", "reject"]);
const keywords = {
  truncate: ["length", "killwords", "end", "leeway"],
  wordwrap: ["width", "break_long_words", "wrapstring", "break_on_hyphens"],
  indent: ["width", "first", "blank"],
  center: ["width"],
  round: ["precision", "method"],
  int: ["default", "base"],
  tojson: ["indent", "sort_keys", "ensure_ascii", "separators"],
  sort: ["reverse", "case_sensitive", "attribute"],
  join: ["d", "attribute"],
  batch: ["linecount", "fill_with"],
  slice: ["slices", "fill_with"],
};
const aligns = "< > = ^".split(" ");
const formatLetters = "b c d e E f F g G n o s x X %".split(" ");
const percentLetters = "d i o u x X e E f F g G c r s a %".split(" ");
const methods =
  "upper split rsplit strip lstrip find rfind index count replace startswith endswith join zfill ljust rjust center partition expandtabs splitlines title swapcase removeprefix isdigit istitle casefold translate encode format".split(
    " ",
  );

function maybe(random, share, choices) {
  return random.chance(share) ? random.pick(choices) : "";
}

function formatSpec(random) {
  return [
    random.chance(0.35)
      ? random.pick(["*", "0", "é", "x", " ", "-"]) + random.pick(aligns)
      : maybe(random, 0.3, aligns),
    maybe(random, 0.3, ["+", "-", " "]),
    maybe(random, 0.1, ["z"]),
    maybe(random, 0.2, ["#"]),
    maybe(random, 0.3, ["0"]),
    maybe(random, 0.6, "1 2 3 5 7 8 9 10 11 12 13 15 20 25 30".split(" ")),
    maybe(random, 0.3, [",", "_"]),
    maybe(random, 0.4, ".0 .1 .2 .3 .5 .6 .10 .17 .20 .".split(" ")),
    maybe(random, 0.75, formatLetters),
  ].join("");
}

function percentSpec(random) {
  return [
    "%",
    maybe(random, 0.1, ["(k)"]),
    maybe(random, 0.3, ["-", "+", " ", "#", "0", "-0", "+ ", "#0"]),
    maybe(random, 0.5, ["1", "5", "8", "12", "20", "*"]),
    maybe(random, 0.4, [".0", ".1", ".3", ".10", ".", "..*", ".*"]),
    maybe(random, 0.1, ["l", "h", "L"]),
    random.pick(percentLetters),
  ].join("");
}

function percentArguments(random) {
  return random.weighted([
    [3, () => `(${random.pick(numbers)}, ${random.pick([...numbers, ...values])})`],
    [1, () => `{'k': ${random.pick(numbers)}}`],
    [5, () => random.pick(numbers)],
    [1, () => random.pick(values)],
  ]);
}

function call(random, ...named) {
  return random
    .some(0, 3, () => random.pick(random.chance(0.8) ? args : operands))
    .concat(named)
    .join(", ");
}

function filtered(random) {
  const filter = random.pick(filters);
  const known = keywords[filter];
  const given = call(
    random,
    ...(known !== undefined && random.chance(0.4) ? [`${random.pick(known)}=${random.pick(args)}`] : []),
  );
  const value = random.pick(random.chance(0.75) ? operands : numbers);
  return `(${value}) | ${filter}${given === "" ? "" : `(${given})`}${generators.has(filter) ? " | list" : ""}`;
}

/** A template of one expression. */
export function shortTemplate(random) {
  const bound = () => random.pick([...args, ""]);
  const expression = random.weighted([
    [
      40,
      () =>
        `'{${random.pick(["", "", "", "", "0", "a"])}:${formatSpec(random)}}'.format(${random.pick(random.chance(0.85) ? numbers : values)}${maybe(random, 0.1, [", a=1"])})`,
    ],
    [20, () => `'${percentSpec(random)}${maybe(random, 0.2, [" %s"])}' % ${percentArguments(random)}`],
    [25, () => filtered(random)],
    [13, () => `(${random.pick(operands)}).${random.pick(methods)}(${call(random)})`],
    [
      7,
      () =>
        `(${random.pick([...texts, "[1, 2, 3]", "range(7)"])})[${bound()}:${bound()}${maybe(random, 0.5, [`:${bound()}`])}]`,
    ],
  ]);
  return `{{ ${expression} }}`;
}
