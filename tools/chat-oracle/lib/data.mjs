// Variables of a fuzzed template, as JSON text: 1.0 stays a float, and keys keep their order.

const texts = [
  "",
  " ",
  "a",
  "ab",
  "abc",
  "Hello World",
  "user",
  "assistant",
  " lead and trail \n",
  "line1\nline2\r\nline3",
  "a,b,,c",
  "k=v=w",
  "<b>&'\"</b>",
  'it\'s "quoted" \\ back',
  "{{ x }} {% if %}",
  "12",
  "-3.5",
  "0x1F",
  "1e3",
  " 7 ",
  "é",
  "ß",
  "İI",
  "ΑΣ",
  "日本語",
  "😀 smile",
  "👨‍👩‍👧",
  "\ufeffbom",
  "\u00a0nbsp\u2028ls\u0085nel\u001cfs",
  "\u200bzw",
  "\t tab",
  "tool_call",
  "<think>a</think>b",
  "The quick brown fox jumps",
  "ǆ ﬁ",
  "%s %d %%",
  "{} {0} {a}",
  "٣²½",
];

const keys = [
  "a",
  "b",
  "c",
  "role",
  "content",
  "name",
  "items",
  "keys",
  "1",
  "10",
  "2",
  "a b",
  "é",
  "__proto__",
  "constructor",
  "length",
  "type",
  "text",
];

function number(random) {
  return random.weighted([
    [8, () => String(random.below(12) - 3)],
    [3, () => random.pick(["1.0", "0.5", "-2.5", "2.45", "1e3", "0.1", "3.14159", "-0.0", "100.0"])],
    [1, () => random.pick(["1e20", "1e-7", "1.5e300", "123456789012345680.0", "5e-324"])],
    [1, () => random.pick(["9007199254740993", "-12345678901234567890", "4294967296", "255"])],
  ]);
}

const text = (random) => JSON.stringify(random.pick(texts));

function value(random, depth) {
  return random.weighted([
    [4, () => text(random)],
    [4, () => number(random)],
    [1, () => random.pick(["null", "true", "false"])],
    [depth > 0 ? 3 : 0, () => list(random, depth - 1)],
    [depth > 0 ? 3 : 0, () => dict(random, depth - 1)],
  ]);
}

function list(random, depth) {
  // Lists of one kind are what most filters want.
  const one = random.weighted([
    [2, () => () => value(random, depth)],
    [2, () => () => number(random)],
    [2, () => () => text(random)],
    [2, () => () => dict(random, depth)],
  ]);
  return `[${random.some(0, 4, one).join(", ")}]`;
}

function dict(random, depth) {
  const entries = random.some(
    0,
    4,
    () => `${JSON.stringify(random.pick(keys))}: ${value(random, Math.max(0, depth))}`,
  );
  return `{${entries.join(", ")}}`;
}

function message(random) {
  const content = random.weighted([
    [6, () => text(random)],
    [1, () => "null"],
    [2, () => `[{"type": "text", "text": ${text(random)}}, {"type": "image"}]`],
  ]);
  const fields = [
    `"role": ${JSON.stringify(random.pick(["system", "user", "assistant", "tool"]))}`,
    `"content": ${content}`,
  ];
  if (random.chance(0.2)) {
    fields.push(`"tool_calls": [{"function": {"name": ${text(random)}, "arguments": ${dict(random, 1)}}}]`);
  }
  return `{${fields.join(", ")}}`;
}

/** Names that the grammar knows to be there. */
export const names = ["x", "y", "n", "s", "l", "d", "rows", "messages"];

/** The variables of one case. */
export function variables(random) {
  const row = () => `{"k": ${text(random)}, "n": ${number(random)}, "v": ${value(random, 1)}}`;
  return `{${[
    `"x": ${value(random, 2)}`,
    `"y": ${value(random, 1)}`,
    `"n": ${number(random)}`,
    `"s": ${text(random)}`,
    `"l": ${list(random, 1)}`,
    `"d": ${dict(random, 2)}`,
    `"rows": [${random.some(0, 4, row).join(", ")}]`,
    `"messages": [${random.some(1, 3, () => message(random)).join(", ")}]`,
  ].join(", ")}}`;
}
